import { createReason } from '../../../daemon/base/fault-reason.ts';
import type { FaultReason } from '../../../daemon/base/fault-reason.ts';
import { OPCUA_FAILURES } from '../failure-sentences.ts';
import { explainStatus } from '../opcua-errors.ts';
import type { OpcuaConfig } from '../opcua-config.ts';

/** Settings that identify the user and the gateway to a server. */
export type AccessConfig = Pick<OpcuaConfig, 'securityMode' | 'userName' | 'userCertificateFile'>;

type Advise = (config: AccessConfig) => readonly FaultReason[];

const OTHER_USER: Advise = ({ userName, userCertificateFile, ...config }) => {
  if (userName !== undefined) return [createReason(OPCUA_FAILURES, 'SERVER_CHECK_USER', {})];
  if (userCertificateFile === undefined) return [adviseUser(config)];
  return [createReason(OPCUA_FAILURES, 'SERVER_TRUST_USER', {})];
};
/** Step that makes a server trust the gateway. */
export const TRUST_GATEWAY_STEP = createReason(OPCUA_FAILURES, 'SERVER_TRUST_GATEWAY', {});
const TRUST_GATEWAY: Advise = () => [
  createReason(OPCUA_FAILURES, 'SERVER_DISTRUSTS_GATEWAY', {}),
  TRUST_GATEWAY_STEP,
];
const COMPARE_CLOCKS: Advise = () => [createReason(OPCUA_FAILURES, 'SERVER_COMPARE_CLOCKS', {})];
const OTHER_PROTECTION: Advise = () => [createReason(OPCUA_FAILURES, 'SERVER_SET_PROTECTION', {})];
const OTHER_URL: Advise = () => [createReason(OPCUA_FAILURES, 'SERVER_OTHER_URL', {})];
const NO_ROOM: Advise = () => [createReason(OPCUA_FAILURES, 'SERVER_WITHOUT_ROOM', {})];

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
 * @param status a name such as `BadIdentityTokenRejected`
 */
export function withAdvice(status: string, config: AccessConfig): readonly FaultReason[] {
  return [explainStatus(status), ...(ADVICE.get(status.replace(/^Bad/, ''))?.(config) ?? [])];
}

/** Returns the settings for a session with a user. */
export function adviseUser({ securityMode }: Pick<AccessConfig, 'securityMode'>): FaultReason {
  const code = securityMode === 'NONE' ? 'SERVER_SET_USER_AND_MODE' : 'SERVER_SET_USER';
  return createReason(OPCUA_FAILURES, code, {});
}
