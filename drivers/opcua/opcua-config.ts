import { createIssue, createReason, sayReason } from '../../daemon/base/fault-reason.ts';
import type { FaultReason } from '../../daemon/base/fault-reason.ts';
import { BASE_FAULTS } from '../../daemon/base/fault-sentences.ts';
import { OPCUA_FAULTS } from './fault-sentences.ts';
import { TARGET, z } from '../../daemon/base/schema.ts';

/** Message security modes, strongest last. */
export const SECURITY_MODES = ['NONE', 'SIGN', 'SIGN_AND_ENCRYPT'] as const;
export type SecurityModeName = (typeof SECURITY_MODES)[number];

/** Security policies that are considered secure, strongest last (OPC 10000-7, 6.6). */
export const SECURITY_POLICIES = ['Aes128_Sha256_RsaOaep', 'Basic256Sha256', 'Aes256_Sha256_RsaPss'] as const;

/** Default security policy: most servers offer it. */
export const USUAL_POLICY = 'Basic256Sha256' satisfies (typeof SECURITY_POLICIES)[number];

const DEPRECATED_POLICIES: ReadonlySet<unknown> = new Set(['Basic128Rsa15', 'Basic256']);
/** Maximum of time settings, in milliseconds. */
export const TIMEOUT_LIMIT_MS = 600_000;
const MAXIMUM_TEXT = 1024;
const FILE = z.string().min(1).max(4096);

const milliseconds = (minimum: number, usual: number) =>
  z.int().min(minimum).max(TIMEOUT_LIMIT_MS).default(usual);

const fieldsSchema = z.strictObject({
  endpointUrl: z
    .string()
    .max(4096)
    .superRefine((text, context) => {
      const reason = findUrlFault(text);
      if (reason !== undefined) context.addIssue(createIssue([], reason));
    })
    .describe('Endpoint URL of the server: opc.tcp://host:port/path; default port: 4840')
    .meta(TARGET),
  securityMode: z
    .enum(SECURITY_MODES)
    .default('SIGN_AND_ENCRYPT')
    .describe('Message security: SIGN_AND_ENCRYPT, SIGN, or NONE (unprotected)')
    .meta(TARGET),
  securityPolicy: z
    .enum(SECURITY_POLICIES, {
      error(issue) {
        if (!DEPRECATED_POLICIES.has(issue.input)) return undefined;
        const values = { policy: String(issue.input), policies: SECURITY_POLICIES };
        return sayReason(createReason(OPCUA_FAULTS, 'SECURITY_POLICY_DEPRECATED', values)).error(issue);
      },
    })
    .default(USUAL_POLICY)
    .describe('Security algorithms; ignored with NONE')
    .meta(TARGET),
  serverName: z
    .string()
    .min(1)
    .max(253)
    .optional()
    .describe('Name or IP address required in the server certificate; default: the host of the URL')
    .meta(TARGET),
  userName: z.string().min(1).max(MAXIMUM_TEXT).optional().describe('User name; default: anonymous'),
  password: z
    .string()
    .min(1)
    .max(MAXIMUM_TEXT)
    .optional()
    .describe('Password of the user')
    .meta({ writeOnly: true }),
  userCertificateFile: FILE.optional().describe('PEM file with the user certificate, instead of a user name'),
  userPrivateKeyFile: FILE.optional().describe('PEM file with the RSA private key of the user certificate'),
  connectTimeoutMs: milliseconds(1, 5000).describe('Longest wait for a session, in milliseconds'),
  requestTimeoutMs: milliseconds(1, 3000).describe('Longest wait for one response, in milliseconds'),
  sessionTimeoutMs: z
    .int()
    .min(10_000)
    .max(3_600_000)
    .default(60_000)
    .describe('Time for which the server keeps an inactive session, in milliseconds'),
  keepAliveMs: z
    .int()
    .min(1000)
    .max(TIMEOUT_LIMIT_MS)
    .default(5000)
    .describe('Interval of keep-alive requests to an idle server, in milliseconds'),
  maximumNodesPerRequest: z
    .int()
    .min(1)
    .max(10_000)
    .default(1000)
    .describe('Maximum nodes of one request; the server may have a lower limit'),
  publishingIntervalMs: z
    .int()
    .min(10)
    .max(TIMEOUT_LIMIT_MS)
    .optional()
    .describe(
      'Interval at which the server reports changes, in milliseconds; default: as requested by listeners',
    ),
  acceptUncertain: z
    .boolean()
    .default(false)
    .describe('Return uncertain values, with quality UNCERTAIN, instead of failures'),
});

/** Schema of the settings of one server. */
export const configSchema = fieldsSchema.superRefine((config, context) => {
  for (const [field, reason] of findContradictions(config)) context.addIssue(createIssue([field], reason));
});

/** Settings of one server, with defaults applied. */
export type OpcuaConfig = Readonly<z.infer<typeof fieldsSchema>>;

function findContradictions(config: OpcuaConfig): readonly (readonly [keyof OpcuaConfig, FaultReason])[] {
  const { userName, password, userCertificateFile, userPrivateKeyFile, securityMode } = config;
  const faults: (readonly [keyof OpcuaConfig, FaultReason])[] = [];
  if (userName === undefined && password !== undefined) {
    faults.push(['userName', createReason(OPCUA_FAULTS, 'USER_NAME_MISSING', {})]);
  }
  if (userName !== undefined && password === undefined) {
    faults.push(['password', createReason(OPCUA_FAULTS, 'PASSWORD_MISSING', {})]);
  }
  // Without message security a password can be read by others, even if it is encrypted for the server.
  if (password !== undefined && securityMode === 'NONE') {
    faults.push(['securityMode', createReason(OPCUA_FAULTS, 'PASSWORD_UNPROTECTED', {})]);
  }
  if (userName !== undefined && userCertificateFile !== undefined) {
    faults.push(['userName', createReason(OPCUA_FAULTS, 'USER_TWICE', {})]);
  }
  if ((userCertificateFile === undefined) !== (userPrivateKeyFile === undefined)) {
    const missing = userCertificateFile === undefined ? 'userCertificateFile' : 'userPrivateKeyFile';
    const names = ['userCertificateFile', 'userPrivateKeyFile'];
    faults.push([missing, createReason(BASE_FAULTS, 'KEYS_TOGETHER', { names })]);
  }
  if (userCertificateFile !== undefined && securityMode === 'NONE') {
    faults.push(['securityMode', createReason(OPCUA_FAULTS, 'USER_CERTIFICATE_UNPROTECTED', {})]);
  }
  return faults;
}

function findUrlFault(text: string): FaultReason | undefined {
  // The URL parser checks host and port only for web schemes.
  if (!/^opc\.tcp:\/\/[^/]/i.test(text) || !URL.canParse(text.replace(/^opc\.tcp:/i, 'http:')))
    return createReason(OPCUA_FAULTS, 'EXPECTED_OPCUA_URL', {});
  const { username, password } = new URL(text.replace(/^opc\.tcp:/i, 'http:'));
  return username === '' && password === '' ? undefined : createReason(OPCUA_FAULTS, 'USER_IN_URL', {});
}
