import type { OpcuaConfig } from '../opcua-config.ts';

/** Settings that identify the user and the gateway to a server. */
export type AccessConfig = Pick<OpcuaConfig, 'securityMode' | 'userName' | 'userCertificateFile'>;

type Advise = (config: AccessConfig) => string;

const OTHER_USER: Advise = ({ userName, userCertificateFile, ...config }) => {
  if (userName !== undefined) return 'check userName and password';
  if (userCertificateFile === undefined) return adviseUser(config);
  return 'the server must trust the certificate in userCertificateFile';
};
/** Step that makes a server trust the gateway. */
export const TRUST_GATEWAY_STEP =
  'approve the certificate of the gateway on the server, or install drivers/opcua/own/certificate.pem of the data directory there';
const TRUST_GATEWAY: Advise = () => `the server does not trust the gateway: ${TRUST_GATEWAY_STEP}`;
const COMPARE_CLOCKS: Advise = () =>
  'by the clock of the server, the certificate of the gateway is not valid now: compare both clocks';
const OTHER_PROTECTION: Advise = () => 'set securityMode and securityPolicy to what the server offers';
const OTHER_URL: Advise = () =>
  'endpointUrl must have the host, port and path that the server expects, such as opc.tcp://192.0.2.7:4840/path';
const NO_ROOM: Advise = () => 'the server has too many sessions: end one, or raise its limit';

// StatusCode names (OPC 10000-4, 7.38.2).
const ADVICE: ReadonlyMap<string, Advise> = new Map([
  ...['IdentityTokenInvalid', 'IdentityTokenRejected', 'UserAccessDenied', 'UserSignatureInvalid'].map(
    (name) => [name, OTHER_USER] as const,
  ),
  ...[
    'ApplicationSignatureInvalid',
    'CertificateChainIncomplete',
    'CertificateHostNameInvalid',
    'CertificateInvalid',
    'CertificateIssuerRevoked',
    'CertificateIssuerTimeInvalid',
    'CertificateIssuerUseNotAllowed',
    'CertificatePolicyCheckFailed',
    'CertificateRevocationUnknown',
    'CertificateRevoked',
    'CertificateUntrusted',
    'CertificateUriInvalid',
    'CertificateUseNotAllowed',
    'SecurityChecksFailed',
  ].map((name) => [name, TRUST_GATEWAY] as const),
  ...['SecurityModeInsufficient', 'SecurityModeRejected', 'SecurityPolicyRejected'].map(
    (name) => [name, OTHER_PROTECTION] as const,
  ),
  ...['MaxConnectionsReached', 'TcpNotEnoughResources', 'TcpServerTooBusy', 'TooManySessions'].map(
    (name) => [name, NO_ROOM] as const,
  ),
  ['CertificateTimeInvalid', COMPARE_CLOCKS],
  ...['ServerUriInvalid', 'TcpEndpointUrlInvalid'].map((name) => [name, OTHER_URL] as const),
]);

/**
 * Returns the StatusCode name of a refusal, with the setting that would help.
 *
 * @param reason a name such as `BadIdentityTokenRejected`; any other text is returned unchanged
 */
export function withAdvice(reason: string, config: AccessConfig): string {
  const advise = ADVICE.get(reason.replace(/^Bad/, ''));
  return advise === undefined ? reason : `${reason}; ${advise(config)}`;
}

/** Returns the settings for a session with a user. */
export function adviseUser({ securityMode }: Pick<AccessConfig, 'securityMode'>): string {
  const mode = securityMode === 'NONE' ? 'securityMode SIGN_AND_ENCRYPT with ' : '';
  return `set ${mode}userName and password, or userCertificateFile and userPrivateKeyFile`;
}
