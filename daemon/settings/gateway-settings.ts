import { isIP } from 'node:net';
import { join } from 'node:path';

import { createIssue, createReason, sayReason } from '../base/fault-reason.ts';
import { BASE_FAULTS } from '../base/fault-sentences.ts';
import { LOG_LEVELS } from '../base/logger.ts';
import { z } from '../base/schema.ts';
import { NUMBER_FAULTS, SETTINGS_FAULTS, STATIC_FAULTS } from './fault-sentences.ts';

const say = (code: keyof typeof STATIC_FAULTS): ReturnType<typeof sayReason> =>
  sayReason(createReason(STATIC_FAULTS, code, {}));

const SECTION = say('EXPECTED_SECTION');

function wholeNumber(minimum: number, maximum: number, code: keyof typeof NUMBER_FAULTS) {
  const expected = sayReason(createReason(NUMBER_FAULTS, code, { minimum, maximum }));
  return z.int(expected).min(minimum, expected).max(maximum, expected);
}

const text = z.string(say('EXPECTED_TEXT')).min(1, say('EXPECTED_TEXT_NOT_EMPTY')).max(4096);
const file = text.nullable().default(null);
const port = wholeNumber(0, 65_535, 'EXPECTED_PORT_OR_ANY');
const portList = z.array(port, say('EXPECTED_PORTS')).max(32);

const hostSchema = text.refine(isHost, say('EXPECTED_HOST')).default('::');
const HOST_NAME = /^[A-Za-z0-9]([A-Za-z0-9.-]{0,252}[A-Za-z0-9])?$/;

// Container names may contain an underscore, although RFC 1123 does not allow it.
const REACHED_NAME = /^(?:\*\.)?\w(?:[\w.-]{0,250}\w)?\.?$/;

const LISTENER_LISTS = ['ports', 'httpsPorts', 'httpsClientAuthPorts'] as const;

const httpSchema = z
  .strictObject(
    {
      host: hostSchema.describe('Address of the listeners; "::": all addresses, including IPv4'),
      ports: portList.default([]).describe('Ports for plain HTTP; 0: any free one'),
      httpsPorts: portList.default([443]).describe('Ports for HTTPS; no client certificate is requested'),
      httpsClientAuthPorts: portList
        .default([4443])
        .describe('Ports for HTTPS; the handshake requires a client certificate of a trusted authority'),
      trustedProxies: z
        .array(text.refine(isAddressRange, say('EXPECTED_ADDRESS_RANGE')), say('EXPECTED_ADDRESS_RANGES'))
        .max(256)
        .default([])
        .describe(
          'Proxies whose forwarded headers are trusted: IP addresses, or ranges with a prefix length',
        ),
      names: z
        .array(text.regex(REACHED_NAME, say('EXPECTED_REACHED_NAME')), say('EXPECTED_HOST_NAMES'))
        .max(256)
        .default([])
        .describe(
          'Additional host names of the gateway, besides those of the machine and of its certificate; "*." matches one label',
        ),
      strictTransportSecuritySeconds: wholeNumber(0, 63_072_000, 'EXPECTED_SECONDS')
        .default(0)
        .describe(
          'Seconds for which browsers access this host only by HTTPS with a valid certificate, on every port (HSTS); 0: disabled',
        ),
      writeDeadlineMs: wholeNumber(100, 3_600_000, 'EXPECTED_MILLISECONDS')
        .default(60_000)
        .describe('Deadline of a write request, in milliseconds; nothing is sent after it'),
    },
    SECTION,
  )
  .superRefine((http, context) => {
    for (const issue of findRepeatedPorts(http)) context.addIssue(issue);
  });

const tlsSchema = z
  .strictObject(
    {
      certificateFile: file.describe(
        'Server certificate, PEM, followed by its intermediates; requires privateKeyFile',
      ),
      privateKeyFile: file.describe(
        'Private key of the server certificate, PEM without passphrase, mode 0600',
      ),
      clientCertificateAuthoritiesFile: file.describe(
        'Authorities whose client certificates are accepted, PEM',
      ),
      certificateRevocationListFile: file.describe('Revocation lists of those authorities, PEM; null: none'),
    },
    SECTION,
  )
  .superRefine(({ certificateFile, privateKeyFile }, context) => {
    if ((certificateFile === null) === (privateKeyFile === null)) return;
    const [given, missing] =
      certificateFile === null
        ? ['privateKeyFile', 'certificateFile']
        : ['certificateFile', 'privateKeyFile'];
    context.addIssue(explainMissing([given], missing));
  });

const auditSchema = z
  .strictObject(
    {
      journal: z
        .boolean(say('EXPECTED_BOOLEAN'))
        .default(false)
        .describe('Also writes every stored event with its hash to the log, at level info'),
      maximumEvents: wholeNumber(1000, 1_000_000, 'EXPECTED_EVENTS')
        .default(100_000)
        .describe('Maximum number of stored events, about 300 bytes each'),
      syslog: z
        .strictObject(
          {
            host: text
              .refine(isHost, say('EXPECTED_HOST'))
              .nullable()
              .default(null)
              .describe('Syslog server that receives every event over TLS (RFC 5425); null: none'),
            port: wholeNumber(1, 65_535, 'EXPECTED_PORT').default(6514).describe('Port of the syslog server'),
            certificateAuthoritiesFile: file.describe(
              'Authorities of the certificate of the syslog server, PEM; null: those of the system',
            ),
            certificateFile: file.describe('Client certificate for the syslog server, PEM; null: none'),
            privateKeyFile: file.describe(
              'Private key of that client certificate, PEM without passphrase, mode 0600',
            ),
          },
          SECTION,
        )
        .prefault({})
        .describe('Syslog server for the audit events'),
    },
    SECTION,
  )
  .superRefine(({ syslog: { certificateFile, privateKeyFile } }, context) => {
    if ((certificateFile === null) === (privateKeyFile === null)) return;
    const [given, missing] =
      certificateFile === null
        ? ['privateKeyFile', 'certificateFile']
        : ['certificateFile', 'privateKeyFile'];
    context.addIssue(explainMissing(['syslog', given], missing));
  });

const deploymentSchema = z.strictObject(
  {
    marketplaceUrl: text
      .refine(isPlainWebUrl, say('EXPECTED_PLAIN_WEB_URL'))
      .default('https://marketplace.eclipse.org')
      .describe('Marketplace whose package descriptors are read'),
    maximumPackageBytes: wholeNumber(1, 1_073_741_824, 'EXPECTED_BYTES')
      .default(67_108_864)
      .describe('Maximum size of a deployment package, in bytes'),
    maximumBundleDataBytes: wholeNumber(1_048_576, 1_099_511_627_776, 'EXPECTED_BYTES')
      .default(67_108_864)
      .describe('Storage quota of each bundle for its data directory, in bytes'),
    maximumBundleDataEntries: wholeNumber(10, 20_000, 'EXPECTED_ENTRIES')
      .default(10_000)
      .describe('Maximum number of files and directories in the data directory of each bundle'),
    fileSourceDirectories: z
      .array(
        text.refine(
          (directory) => directory.startsWith('/'),
          sayReason(createReason(BASE_FAULTS, 'EXPECTED_PATH', {})),
        ),
        say('EXPECTED_DIRECTORIES'),
      )
      .max(32)
      .default(['/srv', '/tmp'])
      .describe(
        'Directories from which packages can be installed by file: URLs; the Debian service has a private /tmp',
      ),
    signaturePolicy: z
      .enum(
        ['off', 'warn', 'require'],
        sayReason(createReason(BASE_FAULTS, 'EXPECTED_VALUES', { values: ['off', 'warn', 'require'] })),
      )
      .default('off')
      .describe(
        'Packages without a trusted signature: off accepts them, warn accepts them with a warning, require rejects them',
      ),
    trustedSignersFile: file.describe(
      'Certificates of trusted signers or of their authorities, PEM; null: none',
    ),
  },
  SECTION,
);

/**
 * The schema of `penstock.yaml`.
 *
 * Configured `tls` files must exist. Others are read from /etc/penstock/tls if they exist there; without a server
 * certificate, the daemon generates one under `tls` in the data directory.
 */
export const gatewaySettingsSchema = z
  .strictObject(
    {
      dataDirectory: text
        .default('/var/lib/penstock')
        .describe(
          'Directory that holds all state, created with mode 0700 if missing; a change takes effect at the next start',
        ),
      log: z
        .strictObject(
          {
            level: z
              .enum(
                LOG_LEVELS,
                sayReason(createReason(BASE_FAULTS, 'EXPECTED_VALUES', { values: LOG_LEVELS })),
              )
              .default('info')
              .describe('Lowest level that is logged'),
          },
          SECTION,
        )
        .prefault({}),
      http: httpSchema.prefault({}),
      tls: tlsSchema.prefault({}),
      metrics: z
        .strictObject(
          {
            port: port
              .nullable()
              .default(null)
              .describe('Port of the Prometheus metrics at /metrics; null: none'),
            host: hostSchema
              .default('127.0.0.1')
              .describe('Address of the metrics listener, which requires no credentials'),
          },
          SECTION,
        )
        .prefault({}),
      audit: auditSchema.prefault({}),
      console: z
        .strictObject(
          {
            enabled: z.boolean(say('EXPECTED_BOOLEAN')).default(true).describe('Serves the web console at /'),
          },
          SECTION,
        )
        .prefault({}),
      deployment: deploymentSchema.prefault({}),
      shutdownTimeoutSeconds: wholeNumber(1, 600, 'EXPECTED_SECONDS')
        .default(20)
        .describe('Time for running requests and device operations to finish at a stop, in seconds'),
      provision: z.unknown().optional().describe('Parts that are merged into the managed configuration'),
    },
    say('EXPECTED_SETTINGS'),
  )
  .superRefine(({ http, metrics }, context) => {
    const taken = LISTENER_LISTS.find((list) => metrics.port !== null && http[list].includes(metrics.port));
    if (taken === undefined || metrics.port === 0) return;
    const values = { port: String(metrics.port), place: `http.${taken}` };
    context.addIssue(
      createIssue(['metrics', 'port'], createReason(SETTINGS_FAULTS, 'PORT_REPEATED', values)),
    );
  });

/** Static settings of the daemon, including defaults. */
export type GatewaySettings = Readonly<Omit<z.infer<typeof gatewaySettingsSchema>, 'provision'>> & {
  /** Directory of `penstock.yaml`. */
  readonly configurationDirectory?: string;
};

/** Returns the default directory of certificates: `tls` next to `penstock.yaml`. */
export function tlsDirectoryOf({ configurationDirectory = '/etc/penstock' }: GatewaySettings): string {
  return join(configurationDirectory, 'tls');
}

type PortLists = Readonly<Record<(typeof LISTENER_LISTS)[number], readonly number[]>>;

function findRepeatedPorts(http: PortLists): readonly ReturnType<typeof createIssue>[] {
  const firstUse = new Map<number, string>();
  return LISTENER_LISTS.flatMap((list) =>
    http[list].flatMap((number, index) => {
      const earlier = firstUse.get(number);
      if (earlier === undefined) firstUse.set(number, `http.${list}[${index}]`);
      // Port 0, any free port, may be repeated.
      return earlier === undefined || number === 0
        ? []
        : [
            createIssue(
              [list, index],
              createReason(SETTINGS_FAULTS, 'PORT_REPEATED', { port: number, place: earlier }),
            ),
          ];
    }),
  );
}

function explainMissing(path: readonly string[], key: string): ReturnType<typeof createIssue> {
  return createIssue(path, createReason(SETTINGS_FAULTS, 'EXPECTED_WITH', { key }));
}

function isHost(host: string): boolean {
  return isIP(host) !== 0 || HOST_NAME.test(host);
}

function isAddressRange(range: string): boolean {
  const [address = '', prefix, ...rest] = range.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128));
}

function isPlainWebUrl(candidate: string): boolean {
  const url = URL.parse(candidate);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) return false;
  return url.username === '' && url.password === '' && url.search === '' && url.hash === '';
}
