#if Replication
package import Base
import Synchronization
package import Transport

/// The memory that the bodies of all requests, or of all responses, of a server may take. Clients of one address, and one user, get a part of it
/// only, so that they cannot take it from others.
package final class BodyBudget: Sendable {
    /// Who holds memory.
    fileprivate enum Holder: Hashable {
        case address(ClientAddress)
        case user(ExactString)
    }

    private struct State {
        var used = 0
        /// Those who hold memory.
        var shares: [Holder: Int] = [:]
    }

    private let limits: MemoryLimits
    private let state = Mutex(State())

    /// Creates a budget with shares.
    package init(_ limits: MemoryLimits) { self.limits = limits }

    /// Creates a budget of so many bytes, all of which one client may take.
    package convenience init(bytes: Int) { self.init(MemoryLimits(all: bytes, ofAddress: bytes, ofUser: bytes)) }

    /// The number of bytes that are reserved, which is 0 when no request or response is in memory.
    package var used: Int { state.withLock { $0.used } }

    /// The number of addresses and users that hold memory.
    package var holderCount: Int { state.withLock { $0.shares.count } }

    /// Takes memory from the budget, which the result returns when it is destroyed. Returns `nil` if there is not enough, or the share of the
    /// owner is used up.
    ///
    /// - Parameter owner: Whose share counts; `nil` for the server itself.
    package func reserve(_ count: Int, for owner: RequestOwner? = nil) -> ReservedMemory? {
        var memory = reservation(for: owner)
        guard memory.grow(by: count) else { return nil }
        return memory
    }

    /// Returns a reservation of no memory, which can grow.
    package func reservation(for owner: RequestOwner? = nil) -> ReservedMemory { ReservedMemory(self, owner) }

    fileprivate func reserve(_ count: Int, for holders: [Holder]) -> Bool {
        state.withLock { state in
            guard count <= limits.all - state.used,
                // Who holds nothing may take one thing that is larger than the share.
                holders.allSatisfy({ holder in state.shares[holder].map { count <= limit(of: holder) - $0 } ?? true })
            else { return false }
            state.used += count
            for holder in holders { state.shares[holder, default: 0] += count }
            return true
        }
    }

    fileprivate func giveBack(_ count: Int, of holders: [Holder]) {
        state.withLock { state in
            state.used -= count
            for holder in holders {
                let rest = (state.shares[holder] ?? 0) - count
                state.shares[holder] = rest > 0 ? rest : nil
            }
        }
    }

    private func limit(of holder: Holder) -> Int {
        switch holder {
        case .address: limits.ofAddress
        case .user: limits.ofUser
        }
    }
}

/// The limits of a ``BodyBudget``, in bytes.
package struct MemoryLimits: Sendable {
    /// The memory in all.
    package var all: Int
    /// The part that clients of one address may take together.
    package var ofAddress: Int
    /// The part that one user may take, from any addresses.
    package var ofUser: Int

    package init(all: Int, ofAddress: Int, ofUser: Int) { (self.all, self.ofAddress, self.ofUser) = (all, ofAddress, ofUser) }
}

/// Memory that was reserved in a ``BodyBudget``. It is returned when this value is destroyed: with the request or the response that it belongs to,
/// however that ends.
package struct ReservedMemory: ~Copyable, Sendable {
    private let budget: BodyBudget
    private let owner: RequestOwner?
    /// Those whose shares were used, since the first byte.
    private var holders: [BodyBudget.Holder] = []
    private var count = 0

    /// Creates a reservation of no memory.
    fileprivate init(_ budget: BodyBudget, _ owner: RequestOwner?) { (self.budget, self.owner) = (budget, owner) }

    deinit {
        if count > 0 { budget.giveBack(count, of: holders) }
    }

    /// Takes more memory. Returns `false`, and takes nothing, if there is not enough.
    package mutating func grow(by more: Int) -> Bool {
        guard more > 0 else { return true }
        if count == 0, let owner { holders = [.address(owner.address)] + (owner.user.map { [.user($0)] } ?? []) }
        guard budget.reserve(more, for: holders) else { return false }
        count += more
        return true
    }
}

/// Who a request counts for: its address, and its user when the handler has determined that.
package final class RequestOwner: Sendable {
    /// The address of the client, to whose share the request counts.
    package let address: ClientAddress
    private let name = Mutex<ExactString?>(nil)

    /// Creates the owner of a request whose user is not known yet.
    package init(_ address: ClientAddress) { self.address = address }

    /// The name of the user; `nil` if it is not known, or the client is none.
    package var user: ExactString? { name.withLock { $0 } }

    /// Sets the user, before memory is reserved for the request.
    package func identify(_ user: String?) { name.withLock { $0 = user.map { ExactString($0) } } }
}
#endif
