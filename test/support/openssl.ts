import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { programOf } from './tools.ts';

/** Runs the `openssl` of the machine and returns what it prints. */
export function openssl(parameters: readonly string[], directory: string): string {
  return execFileSync(programOf('openssl'), parameters, { cwd: directory, encoding: 'utf8', stdio: 'pipe' });
}

/** How `openssl s_client` got on. */
export interface OpensslClient {
  readonly output: string;
  /** The handshake resumed a session. */
  readonly isResumed: boolean;
  readonly status: number | undefined;
}

/**
 * Connects with `openssl s_client`, sends a request and reads until the server closes.
 *
 * @param parameters after the address, for example `-tls1_2`
 * @param input text to send; lines of `R` would ask for renegotiation
 */
export async function connectWithOpenssl(
  port: number,
  parameters: readonly string[],
  { directory, input }: { readonly directory: string; readonly input: string },
): Promise<OpensslClient> {
  const child = spawn(programOf('openssl'), ['s_client', '-connect', `127.0.0.1:${port}`, ...parameters], {
    cwd: directory,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (output += chunk.toString('latin1')));
  }
  child.stdin.on('error', () => undefined);
  // Not ended: at the end of its input s_client closes the connection, answer or not.
  child.stdin.write(input);
  await once(child, 'close');
  const [, status] = /HTTP\/1\.1 (\d{3})/.exec(output) ?? [];
  return {
    output,
    isResumed: output.includes('\nReused, '),
    status: status === undefined ? undefined : Number(status),
  };
}

/** Sends one GET with `curl`; status 0: there was no answer. */
export async function getWithCurl(
  url: string,
  parameters: readonly string[],
  directory: string,
): Promise<{ readonly status: number; readonly exitCode: number | null; readonly body: string }> {
  const options = ['--silent', '--insecure', '--max-time', '20', '--write-out', '\\n%{http_code}'];
  const child = spawn(programOf('curl'), [...options, ...parameters, url], {
    cwd: directory,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  await once(child, 'close');
  const end = output.lastIndexOf('\n');
  return { status: Number(output.slice(end + 1)), exitCode: child.exitCode, body: output.slice(0, end) };
}
