import { createRestClient } from './rest-client.ts';
import type { RestClient } from './rest-client.ts';
import { promptSecret } from '../terminal/prompt.ts';
import { readSecretFile, readTextFile } from '../terminal/text-file.ts';
import { UsageError } from '../command-error.ts';
import type { OptionValue } from '../command-line.ts';
import type { Terminal } from '../command-group.ts';

/** Options of every command. */
export const COMMON_OPTIONS = {
  json: { help: 'print JSON, with times as in the REST interface' },
  'no-colour': { help: 'print without colours, as NO_COLOR does' },
  help: { help: 'show the help of the command' },
} as const;

/** Path of `penstock.yaml`, for commands that read local files. */
export const CONFIG_OPTION = {
  value: 'FILE',
  help: 'static configuration',
  default: '/etc/penstock/penstock.yaml',
  names: 'file',
} as const;

/** Options of every command that connects to a gateway. */
export const CLIENT_OPTIONS = {
  socket: {
    value: 'PATH',
    help: 'local socket of the gateway (default: $PENSTOCK_SOCKET or /run/penstock/penstock.sock)',
    names: 'file',
  },
  url: { value: 'URL', help: 'remote gateway, for example https://gateway:4443' },
  ca: { value: 'FILE', help: 'certificate of that gateway, or of its authorities (PEM)', names: 'file' },
  cert: { value: 'FILE', help: 'client certificate (PEM)', names: 'file' },
  key: { value: 'FILE', help: 'key of the client certificate (PEM)', names: 'file' },
  user: { value: 'NAME', help: 'identity for Basic authentication; prompts for its password' },
  'password-file': { value: 'FILE', help: 'read that password from a file', names: 'file' },
  'token-file': { value: 'FILE', help: 'read an access token from a file', names: 'file' },
} as const;

/** Options that are also accepted before the command and before its subcommand. */
export const LEADING_OPTIONS = { ...COMMON_OPTIONS, ...CLIENT_OPTIONS } as const;

const DEFAULT_SOCKET = '/run/penstock/penstock.sock';

export type ClientValues = Readonly<Partial<Record<keyof typeof CLIENT_OPTIONS, OptionValue>>>;

/**
 * Creates the REST client for the options.
 *
 * @param command command and subcommand for the audit log; absent: not recorded
 * @throws {UsageError} for contradictory options
 * @throws {CommandError} if a file cannot be read
 */
export async function createClient(
  options: ClientValues,
  terminal: Terminal,
  command?: string,
): Promise<RestClient> {
  const values = toTexts(options);
  const { socket, url, user, 'password-file': passwordFile } = values;
  if (passwordFile !== undefined && user === undefined) {
    // Commands that set a password have their own option.
    const hint = 'new-password-file' in options ? '; use --new-password-file for the new password' : '';
    throw new UsageError(`--password-file requires --user${hint}`);
  }
  if (url === undefined) {
    const remote = (['ca', 'cert', 'key', 'user', 'token-file'] as const).find(
      (name) => values[name] !== undefined,
    );
    if (remote !== undefined) throw new UsageError(`--${remote} requires --url`);
    const socketPath = socket ?? process.env['PENSTOCK_SOCKET'] ?? DEFAULT_SOCKET;
    return createRestClient({ socketPath, command });
  }
  if (socket !== undefined) throw new UsageError('--socket and --url are mutually exclusive');
  const parsed = URL.parse(url);
  if (parsed === null || !['http:', 'https:'].includes(parsed.protocol) || parsed.username !== '') {
    throw new UsageError('--url: expected an http or https address without user name');
  }
  if (user !== undefined && values['token-file'] !== undefined) {
    throw new UsageError('--user and --token-file are mutually exclusive');
  }
  if ((values.cert === undefined) !== (values.key === undefined)) {
    throw new UsageError('--cert and --key must be given together');
  }
  return createRestClient({
    url: parsed,
    authorities: await readOption(values.ca, 'CA certificate file'),
    certificate: await readOption(values.cert, 'certificate file'),
    privateKey: await readOption(values.key, 'key file'),
    authorization: await findAuthorization(values, terminal),
  });
}

type Texts = Readonly<Partial<Record<keyof typeof CLIENT_OPTIONS, string>>>;

function toTexts(values: ClientValues): Texts {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => typeof value === 'string'));
}

async function findAuthorization(values: Texts, terminal: Terminal): Promise<string | undefined> {
  const token = await readOption(values['token-file'], 'token file');
  if (token !== undefined) return `Bearer ${token.trim()}`;
  const { user, 'password-file': file } = values;
  if (user === undefined) return undefined;
  const password = await (file === undefined
    ? promptSecret(`Password of ${user}: `, terminal)
    : readSecretFile(file, 'password file'));
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}

async function readOption(file: string | undefined, role: string): Promise<string | undefined> {
  return file === undefined ? undefined : readTextFile(file, role);
}
