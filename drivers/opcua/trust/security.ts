import { createReason } from '../../../daemon/base/fault-reason.ts';
import type { FaultReason } from '../../../daemon/base/fault-reason.ts';
import { OPCUA_FAILURES } from '../failure-sentences.ts';
import { OPCUA_SCAN_SENTENCES } from '../scan-sentences.ts';
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
const REFUSED_USERS = {
  [ANONYMOUS_TOKEN]: ['SERVER_ANONYMOUS_REFUSED', undefined],
  [USER_NAME_TOKEN]: ['SERVER_USER_NAME_REFUSED', 'SERVER_REMOVE_USER_NAME'],
  [CERTIFICATE_TOKEN]: ['SERVER_USER_CERTIFICATE_REFUSED', 'SERVER_REMOVE_USER_CERTIFICATE'],
} as const;
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

/** Describes the security of one endpoint: `SIGN with Basic256Sha256`. */
export function explainProtection({
  securityMode: mode,
  securityPolicy: policy,
  isUsable,
}: OfferedProtection): FaultReason {
  const sentences = OPCUA_SCAN_SENTENCES;
  if (mode === undefined) return createReason(sentences, 'SCAN_ENDPOINT_UNKNOWN', { policy });
  if (mode === 'NONE') {
    return createReason(sentences, isUsable ? 'SCAN_ENDPOINT_NONE' : 'SCAN_ENDPOINT_NONE_UNSUPPORTED', {});
  }
  return createReason(sentences, isUsable ? 'SCAN_ENDPOINT' : 'SCAN_ENDPOINT_UNSUPPORTED', { mode, policy });
}

/** Describes the security that a server offers, for a message: `NONE, SIGN with Basic256Sha256`. */
export function describeOffer(endpoints: readonly EndpointLike[]): string {
  const texts = listOffers(endpoints).map(({ message }) => message);
  return `${texts.join(', ')}: ${adviseOffer(endpoints).message}`;
}

/** Returns what `describeOffer` says as sentences with codes. */
export function explainOffer(endpoints: readonly EndpointLike[]): readonly FaultReason[] {
  const begin = createReason(OPCUA_FAILURES, 'SERVER_OFFERS', {});
  return [begin, ...listOffers(endpoints), adviseOffer(endpoints)];
}

function listOffers(endpoints: readonly EndpointLike[]): readonly FaultReason[] {
  const offers = endpoints.map((endpoint) => explainProtection(readOffer(endpoint)));
  return [...new Map(offers.map((offer) => [offer.message, offer])).values()].slice(0, MAXIMUM_OFFERS);
}

function adviseOffer(endpoints: readonly EndpointLike[]): FaultReason {
  const isUsable = endpoints.some((endpoint) => readOffer(endpoint).isUsable);
  return createReason(OPCUA_FAILURES, isUsable ? 'SERVER_SET_OFFERED' : 'SERVER_OFFERS_UNSUPPORTED', {});
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
 * Returns the reasons why an endpoint does not accept the configured user, and the settings to change; undefined if it
 * does.
 */
export function findUserFault(
  endpoint: EndpointLike,
  config: OpcuaConfig,
  endpoints: readonly EndpointLike[],
): readonly FaultReason[] | undefined {
  const { userName, userCertificateFile, endpointUrl } = config;
  const certificateOrNone = userCertificateFile === undefined ? ANONYMOUS_TOKEN : CERTIFICATE_TOKEN;
  const wanted = userName === undefined ? certificateOrNone : USER_NAME_TOKEN;
  if (endpoint.userIdentityTokens?.some(({ tokenType }) => tokenType === wanted) === true) return undefined;
  const users = listUserKinds(endpoint);
  const here =
    users.length === 0
      ? createReason(OPCUA_FAILURES, 'SERVER_ACCEPTS_NO_USER', {})
      : createReason(OPCUA_FAILURES, 'SERVER_ACCEPTS_USERS', { users });
  const [refusal, removal] = REFUSED_USERS[wanted];
  return [
    createReason(OPCUA_FAILURES, refusal, { url: endpointUrl }),
    removal === undefined ? adviseUser(config) : createReason(OPCUA_FAILURES, removal, {}),
    here,
    ...explainOtherUsers(endpoints, config),
  ];
}

// Users that the server accepts with another protection.
function explainOtherUsers(endpoints: readonly EndpointLike[], config: OpcuaConfig): readonly FaultReason[] {
  const chosen = findEndpoint(endpoints, config);
  const texts = endpoints.flatMap((endpoint) => {
    const offer = readOffer(endpoint);
    const users = listUserKinds(endpoint);
    if (endpoint === chosen || !offer.isUsable || users.length === 0) return [];
    const { securityMode: mode, securityPolicy: policy } = offer;
    return mode === 'NONE' || mode === undefined
      ? createReason(OPCUA_FAILURES, 'SERVER_USERS_UNPROTECTED', { users })
      : createReason(OPCUA_FAILURES, 'SERVER_USERS_WITH', { mode, policy, users });
  });
  return [...new Map(texts.map((text) => [text.message, text])).values()].slice(0, MAXIMUM_OFFERS);
}
