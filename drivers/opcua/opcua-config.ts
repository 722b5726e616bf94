import { TARGET, z } from '../../daemon/base/schema.ts';

/** How messages are protected, the strongest last. */
export const SECURITY_MODES = ['NONE', 'SIGN', 'SIGN_AND_ENCRYPT'] as const;
export type SecurityModeName = (typeof SECURITY_MODES)[number];

/** The policies that hold today, the strongest last (OPC 10000-7, 6.6). */
export const SECURITY_POLICIES = ['Aes128_Sha256_RsaOaep', 'Basic256Sha256', 'Aes256_Sha256_RsaPss'] as const;

/** The policy of a driver that is set to none: most servers offer it. */
export const USUAL_POLICY = 'Basic256Sha256' satisfies (typeof SECURITY_POLICIES)[number];

const DEPRECATED_POLICIES: ReadonlySet<unknown> = new Set(['Basic128Rsa15', 'Basic256']);
/** Longest time of a setting, in milliseconds. */
export const TIMEOUT_LIMIT_MS = 600_000;
const LONGEST_TEXT = 1024;
const FILE = z.string().min(1).max(4096);

const milliseconds = (minimum: number, usual: number) =>
  z.int().min(minimum).max(TIMEOUT_LIMIT_MS).default(usual);

const fieldsSchema = z.strictObject({
  endpointUrl: z
    .string()
    .max(4096)
    .superRefine((text, context) => {
      const message = findUrlFault(text);
      if (message !== undefined) context.addIssue({ code: 'custom', message });
    })
    .describe('Where the server is: opc.tcp://host:port/path; the port is 4840 unless given')
    .meta(TARGET),
  securityMode: z
    .enum(SECURITY_MODES)
    .default('SIGN_AND_ENCRYPT')
    .describe('What happens to the messages: SIGN_AND_ENCRYPT, SIGN, or NONE, which protects nothing')
    .meta(TARGET),
  securityPolicy: z
    .enum(SECURITY_POLICIES, {
      error: ({ input }) =>
        DEPRECATED_POLICIES.has(input)
          ? `${String(input)} is deprecated, because it can be broken; expected ${SECURITY_POLICIES.join(', ')}`
          : undefined,
    })
    .default(USUAL_POLICY)
    .describe('Algorithms of the protection; without meaning for NONE')
    .meta(TARGET),
  serverName: z
    .string()
    .min(1)
    .max(253)
    .optional()
    .describe(
      'Name or IP address that the certificate of the server has to have; the host of the URL unless given',
    )
    .meta(TARGET),
  userName: z
    .string()
    .min(1)
    .max(LONGEST_TEXT)
    .optional()
    .describe('Name of the user; without user anonymous'),
  password: z
    .string()
    .min(1)
    .max(LONGEST_TEXT)
    .optional()
    .describe('Password of the user')
    .meta({ writeOnly: true }),
  userCertificateFile: FILE.optional().describe(
    'PEM file with the certificate of the user, in place of a name',
  ),
  userPrivateKeyFile: FILE.optional().describe('PEM file with the key of that certificate, an RSA key'),
  connectTimeoutMs: milliseconds(1, 5000).describe('Longest wait until the session stands, in milliseconds'),
  requestTimeoutMs: milliseconds(1, 3000).describe('Longest wait for one answer, in milliseconds'),
  sessionTimeoutMs: z
    .int()
    .min(10_000)
    .max(3_600_000)
    .default(60_000)
    .describe('How long the server keeps a session that it hears nothing of, in milliseconds'),
  keepAliveMs: z
    .int()
    .min(1000)
    .max(TIMEOUT_LIMIT_MS)
    .default(5000)
    .describe('How often an idle server is asked whether it is there, in milliseconds'),
  maximumNodesPerRequest: z
    .int()
    .min(1)
    .max(10_000)
    .default(1000)
    .describe('Most nodes of one request; the server may have a lower limit'),
  publishingIntervalMs: z
    .int()
    .min(10)
    .max(TIMEOUT_LIMIT_MS)
    .optional()
    .describe(
      'How often the server reports changes, in milliseconds; as often as listeners want them if absent',
    ),
  acceptUncertain: z
    .boolean()
    .default(false)
    .describe(
      'Return values that the server marks as uncertain, with quality UNCERTAIN; unless set, they are failures',
    ),
});

/** The schema of the settings of one server. */
export const configSchema = fieldsSchema.superRefine((config, context) => {
  for (const [field, message] of findContradictions(config)) {
    context.addIssue({ code: 'custom', path: [field], message });
  }
});

/** Settings of one server, defaults filled in. */
export type OpcuaConfig = Readonly<z.infer<typeof fieldsSchema>>;

function findContradictions(config: OpcuaConfig): readonly (readonly [keyof OpcuaConfig, string])[] {
  const { userName, password, userCertificateFile, userPrivateKeyFile, securityMode } = config;
  const faults: (readonly [keyof OpcuaConfig, string])[] = [];
  if (userName === undefined && password !== undefined) {
    faults.push(['userName', 'is missing; a password belongs to a user']);
  }
  if (userName !== undefined && password === undefined) {
    faults.push(['password', 'is missing; a user proves itself with a password']);
  }
  // Without protection anyone may read the password, even when it is encrypted for the server that asked for it.
  if (password !== undefined && securityMode === 'NONE') {
    faults.push([
      'securityMode',
      'NONE would show the password to others; expected SIGN or SIGN_AND_ENCRYPT',
    ]);
  }
  if (userName !== undefined && userCertificateFile !== undefined) {
    faults.push(['userName', 'a user is shown by name or by certificate, not by both']);
  }
  if ((userCertificateFile === undefined) !== (userPrivateKeyFile === undefined)) {
    const missing = userCertificateFile === undefined ? 'userCertificateFile' : 'userPrivateKeyFile';
    faults.push([missing, 'is missing; a certificate and its key go together']);
  }
  if (userCertificateFile !== undefined && securityMode === 'NONE') {
    faults.push(['securityMode', 'NONE proves no user certificate; expected SIGN or SIGN_AND_ENCRYPT']);
  }
  return faults;
}

function findUrlFault(text: string): string | undefined {
  const expected = 'expected an opc.tcp URL, as opc.tcp://192.0.2.7:4840';
  // The parser of URLs looks at host and port of the schemes of the web alone.
  if (!/^opc\.tcp:\/\/[^/]/i.test(text) || !URL.canParse(text.replace(/^opc\.tcp:/i, 'http:')))
    return expected;
  const { username, password } = new URL(text.replace(/^opc\.tcp:/i, 'http:'));
  return username === '' && password === ''
    ? undefined
    : 'a user has settings of its own; the URL names none';
}
