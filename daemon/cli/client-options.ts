import { createRestClient } from './rest-client.ts';
import type { RestClient } from './rest-client.ts';
import { askSecret } from './ask-secret.ts';
import { readSecretFile, readTextFile } from './text-file.ts';
import { UsageError } from './command-error.ts';
import type { Terminal } from './verb.ts';

/** Options of every verb that talks to a gateway. */
export const CLIENT_OPTIONS = {
  socket: { type: 'string' },
  url: { type: 'string' },
  ca: { type: 'string' },
  cert: { type: 'string' },
  key: { type: 'string' },
  user: { type: 'string' },
  'password-file': { type: 'string' },
  'token-file': { type: 'string' },
  json: { type: 'boolean', default: false },
} as const;

/** Help on these options. */
export const CLIENT_USAGE = `Options:
  --json                 prints JSON
  --socket PATH          local socket of the gateway (default:
                         $PENSTOCK_SOCKET or /run/penstock/penstock.sock)
  --url URL              remote gateway, for example https://gateway:4443
  --ca FILE              certificate of that gateway or of its authorities (PEM)
  --cert FILE --key FILE client certificate and its key (PEM)
  --user NAME            identity for Basic authentication; asks for password
  --password-file FILE   reads that password from a file
  --token-file FILE      reads an access token from a file
`;

const DEFAULT_SOCKET = '/run/penstock/penstock.sock';

export type ClientValues = Readonly<Record<Exclude<keyof typeof CLIENT_OPTIONS, 'json'>, string | undefined>>;

/**
 * Creates the client that the options describe.
 *
 * @throws {UsageError} for options that contradict each other
 * @throws {CommandError} when a file cannot be read
 */
export async function createClient(values: ClientValues, terminal: Terminal): Promise<RestClient> {
  const { socket, url } = values;
  if (url === undefined) {
    const remote = (['ca', 'cert', 'key', 'user', 'token-file'] as const).find(
      (name) => values[name] !== undefined,
    );
    if (remote !== undefined) throw new UsageError(`--${remote} is for a gateway at --url`);
    return createRestClient({ socketPath: socket ?? process.env['PENSTOCK_SOCKET'] ?? DEFAULT_SOCKET });
  }
  if (socket !== undefined) throw new UsageError('--socket and --url exclude each other');
  const parsed = URL.parse(url);
  if (parsed === null || !['http:', 'https:'].includes(parsed.protocol) || parsed.username !== '') {
    throw new UsageError('--url: expected an http or https address without user name');
  }
  if ((values.cert === undefined) !== (values.key === undefined)) {
    throw new UsageError('--cert and --key belong together');
  }
  return createRestClient({
    url: parsed,
    authorities: await readOption(values.ca),
    certificate: await readOption(values.cert),
    privateKey: await readOption(values.key),
    authorization: await findAuthorization(values, terminal),
  });
}

async function findAuthorization(values: ClientValues, terminal: Terminal): Promise<string | undefined> {
  const token = await readOption(values['token-file']);
  if (token !== undefined) return `Bearer ${token.trim()}`;
  const { user, 'password-file': file } = values;
  if (user === undefined) return undefined;
  const password = await (file === undefined
    ? askSecret(`Password of ${user}: `, terminal)
    : readSecretFile(file));
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}

async function readOption(file: string | undefined): Promise<string | undefined> {
  return file === undefined ? undefined : readTextFile(file);
}
