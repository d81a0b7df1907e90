#if Replication
// The keys of the attributes of ``TLSIdentity/createIdentity(forServer:attributes:expiration:label:)`` (API 12).

/// The key of the common name, which every certificate needs.
public let certAttrCommonName = "CN"
/// The key of a pseudonym.
public let certAttrPseudonym = "pseudonym"
/// The key of a given name.
public let certAttrGivenName = "GN"
/// The key of a surname.
public let certAttrSurname = "SN"
/// The key of the name of an organization.
public let certAttrOrganization = "O"
/// The key of the name of an organizational unit.
public let certAttrOrganizationUnit = "OU"
/// The key of a postal address.
public let certAttrPostalAddress = "postalAddress"
/// The key of a locality, such as a town.
public let certAttrLocality = "locality"
/// The key of a postal code.
public let certAttrPostalCode = "postalCode"
/// The key of a state or a province.
public let certAttrStateOrProvince = "ST"
/// The key of a country, a two-letter code.
public let certAttrCountry = "C"
/// The key of an email address. It becomes a subject alternative name, like the attributes below.
public let certAttrEmailAddress = "rfc822Name"
/// The key of a host name.
public let certAttrHostname = "dNSName"
/// The key of a URL.
public let certAttrURL = "uniformResourceIdentifier"
/// The key of an IP address.
public let certAttrIPAddress = "iPAddress"
/// The key of an object identifier, such as `1.2.3.4`.
public let certAttrRegisteredID = "registeredID"
#endif
