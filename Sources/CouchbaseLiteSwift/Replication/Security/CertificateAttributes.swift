#if Replication
// The attributes of ``TLSIdentity/createIdentity(forServer:attributes:expiration:label:)`` (API 12).

/// The common name, which every certificate needs.
public let certAttrCommonName = "CN"
/// A name that somebody goes by.
public let certAttrPseudonym = "pseudonym"
/// A given name.
public let certAttrGivenName = "GN"
/// A surname.
public let certAttrSurname = "SN"
/// An organization.
public let certAttrOrganization = "O"
/// A part of an organization.
public let certAttrOrganizationUnit = "OU"
/// A postal address.
public let certAttrPostalAddress = "postalAddress"
/// A town or the like.
public let certAttrLocality = "locality"
/// A postal code.
public let certAttrPostalCode = "postalCode"
/// A state or a province.
public let certAttrStateOrProvince = "ST"
/// A country, two letters.
public let certAttrCountry = "C"
/// An address of mail; one of the certificate's alternative names, as are those below.
public let certAttrEmailAddress = "rfc822Name"
/// The name of a host.
public let certAttrHostname = "dNSName"
/// A URL.
public let certAttrURL = "uniformResourceIdentifier"
/// An IP address.
public let certAttrIPAddress = "iPAddress"
/// An object identifier, such as `1.2.3.4`.
public let certAttrRegisteredID = "registeredID"
#endif
