import { SECURITY_MODES, SECURITY_POLICIES, USUAL_POLICY } from '../opcua-config.ts';
import type { OpcuaConfig, SecurityModeName } from '../opcua-config.ts';
import { adviseUser } from '../write/refusal-advice.ts';

/** The fields of an EndpointDescription used here. */
export interface EndpointLike {
  readonly securityMode: number;
  readonly securityPolicyUri: string | null;
  readonly transportProfileUri: string | null;
  readonly userIdentityTokens:
    | readonly { readonly tokenType: number; readonly securityPolicyUri: string | null }[]
    | null;
}

// Wire values of the modes (OPC 10000-4, 7.20).
const MODE_NUMBERS: Readonly<Record<SecurityModeName, number>> = { NONE: 1, SIGN: 2, SIGN_AND_ENCRYPT: 3 };
const POLICY_PREFIX = 'http://opcfoundation.org/UA/SecurityPolicy#';
const BINARY_TRANSPORT = 'http://opcfoundation.org/UA-Profile/Transport/uatcp-uasc-uabinary';
const USER_NAME_TOKEN = 1;
const CERTIFICATE_TOKEN = 2;
const ANONYMOUS_TOKEN = 0;
// User token types by number (OPC 10000-4, 7.42).
const USER_KINDS: ReadonlyMap<number, string> = new Map([
  [ANONYMOUS_TOKEN, 'anonymous'],
  [USER_NAME_TOKEN, 'user name'],
  [CERTIFICATE_TOKEN, 'certificate'],
  [3, 'issued token'],
]);
const MAXIMUM_POLICY_LENGTH = 100;
const MAXIMUM_OFFERS = 20;

/** Returns the URI of the security policy for the messages. */
export function policyUriOf({ securityMode, securityPolicy }: OpcuaConfig): string {
  return `${POLICY_PREFIX}${securityMode === 'NONE' ? 'None' : securityPolicy}`;
}

/** Finds the endpoint with exactly the configured security. */
export function findEndpoint<Endpoint extends EndpointLike>(
  endpoints: readonly Endpoint[],
  config: OpcuaConfig,
): Endpoint | undefined {
  return endpoints.find(
    ({ securityMode, securityPolicyUri, transportProfileUri }) =>
      securityMode === MODE_NUMBERS[config.securityMode] &&
      securityPolicyUri === policyUriOf(config) &&
      (transportProfileUri === BINARY_TRANSPORT || !transportProfileUri),
  );
}

/** Security of one endpoint. */
export interface OfferedProtection {
  /** Undefined for a mode outside the standard. */
  readonly securityMode: SecurityModeName | undefined;
  /** Policy name: `Basic256Sha256`, `None`. */
  readonly securityPolicy: string;
  /** True if the driver supports it. */
  readonly isUsable: boolean;
}

/** Reads the security of an endpoint. */
export function readOffer({
  securityMode: number,
  securityPolicyUri,
  transportProfileUri,
}: Omit<EndpointLike, 'userIdentityTokens'>): OfferedProtection {
  const securityMode = SECURITY_MODES.find((mode) => MODE_NUMBERS[mode] === number);
  const securityPolicy = (securityPolicyUri?.split('#')[1] ?? 'unknown').slice(0, MAXIMUM_POLICY_LENGTH);
  const isBinary = transportProfileUri === BINARY_TRANSPORT || !transportProfileUri;
  const isKnown = SECURITY_POLICIES.some((policy) => policy === securityPolicy);
  const isUsable =
    isBinary && (securityMode === 'NONE' ? securityPolicy === 'None' : securityMode !== undefined && isKnown);
  return { securityMode, securityPolicy, isUsable };
}

/** Driver settings for the security of an endpoint. */
export type ProtectionSettings = Partial<Pick<OpcuaConfig, 'securityMode' | 'securityPolicy'>>;

/**
 * Chooses the strongest security that the server offers and the driver supports, the default policy first.
 *
 * @returns undefined if there is none
 */
export function chooseProtection(offers: readonly OfferedProtection[]): ProtectionSettings | undefined {
  for (const securityMode of SECURITY_MODES.toReversed()) {
    const usable = offers.filter((offer) => offer.isUsable && offer.securityMode === securityMode);
    if (usable.length === 0) continue;
    if (securityMode === 'NONE') return { securityMode };
    const preferred = [USUAL_POLICY, ...SECURITY_POLICIES.toReversed()] as const;
    const securityPolicy = preferred.find((policy) =>
      usable.some((offer) => offer.securityPolicy === policy),
    );
    return { securityMode, ...(securityPolicy === undefined ? {} : { securityPolicy }) };
  }
  return undefined;
}

/** Describes the security of one endpoint, for a message: `SIGN with Basic256Sha256`. */
function describeProtection({ securityMode, securityPolicy, isUsable }: OfferedProtection): string {
  const mode = securityMode ?? 'an unknown mode';
  const protection = securityMode === 'NONE' ? mode : `${mode} with ${securityPolicy}`;
  return isUsable ? protection : `${protection} (not supported)`;
}

/** Describes the security that a server offers, for a message: `NONE, SIGN with Basic256Sha256`. */
export function describeOffer(endpoints: readonly EndpointLike[]): string {
  const offers = endpoints.map((endpoint) => readOffer(endpoint));
  const texts = [...new Set(offers.map(describeProtection))].slice(0, MAXIMUM_OFFERS).join(', ');
  return offers.some(({ isUsable }) => isUsable)
    ? `${texts}: set securityMode and securityPolicy to one of these`
    : `${texts}: the gateway supports none of these`;
}

/**
 * True if a password is sent encrypted: by the channel, or by the policy of the token, which defaults to that of the
 * channel (OPC 10000-4, 7.41).
 */
export function isPasswordProtected({ securityMode, userIdentityTokens }: EndpointLike): boolean {
  if (securityMode === MODE_NUMBERS.SIGN_AND_ENCRYPT) return true;
  const policies = (userIdentityTokens ?? [])
    .filter(({ tokenType }) => tokenType === USER_NAME_TOKEN)
    .map(({ securityPolicyUri }) => securityPolicyUri);
  const strong = new Set<string>(SECURITY_POLICIES.map((policy) => POLICY_PREFIX + policy));
  // Of several the library uses the strongest named one.
  return policies.some((uri) => strong.has(uri ?? '')) || policies.every((uri) => !uri);
}

/** Lists the user token types of an endpoint: `anonymous`, `user name`. */
export function listUserKinds({ userIdentityTokens }: EndpointLike): readonly string[] {
  const kinds = (userIdentityTokens ?? []).map(({ tokenType }) => USER_KINDS.get(tokenType) ?? 'other');
  return [...new Set(kinds)];
}

/**
 * Returns the reason why an endpoint does not accept the configured user, and the settings to change; undefined if it
 * does.
 */
export function findUserFault(
  endpoint: EndpointLike,
  config: OpcuaConfig,
  endpoints: readonly EndpointLike[],
): string | undefined {
  const { userName, userCertificateFile } = config;
  const certificateOrNone = userCertificateFile === undefined ? ANONYMOUS_TOKEN : CERTIFICATE_TOKEN;
  const wanted = userName === undefined ? certificateOrNone : USER_NAME_TOKEN;
  if (endpoint.userIdentityTokens?.some(({ tokenType }) => tokenType === wanted) === true) return undefined;
  const kinds = listUserKinds(endpoint);
  const here = `with this protection it accepts ${kinds.join(', ') || 'no user at all'}`;
  const offer = [here, ...describeOtherUsers(endpoints, config)].join('; ');
  if (wanted === ANONYMOUS_TOKEN)
    return `does not accept anonymous sessions: ${adviseUser(config)}; ${offer}`;
  const [what, settings] =
    wanted === USER_NAME_TOKEN
      ? ['user name', 'userName and password']
      : ['user certificate', 'userCertificateFile and userPrivateKeyFile'];
  return `takes no ${what}: replace or remove ${settings}; ${offer}`;
}

// Users that the server accepts with another protection.
function describeOtherUsers(endpoints: readonly EndpointLike[], config: OpcuaConfig): readonly string[] {
  const chosen = findEndpoint(endpoints, config);
  const texts = endpoints.flatMap((endpoint) => {
    const offer = readOffer(endpoint);
    const kinds = listUserKinds(endpoint);
    if (endpoint === chosen || !offer.isUsable || kinds.length === 0) return [];
    return [`with ${describeProtection(offer)}: ${kinds.join(', ')}`];
  });
  return [...new Set(texts)].slice(0, MAXIMUM_OFFERS);
}
