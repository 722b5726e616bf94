import { request as httpsRequest } from 'node:https';
import { request as httpRequest } from 'node:http';
import type { Agent } from 'node:https';
import type { IncomingHttpHeaders } from 'node:http';
import type { SecureContextOptions } from 'node:tls';

export interface ClientOptions {
  readonly port: number;
  /** Trusted authority; without it any certificate is accepted. */
  readonly ca?: string | undefined;
  /** The name that the certificate has to bear, with an authority; `localhost` unless given. */
  readonly serverName?: string;
  readonly certificate?: string | undefined;
  readonly privateKey?: string | undefined;
  /** Versions and ciphers, where they are not those of Node.js. */
  readonly tls?: Pick<SecureContextOptions, 'ciphers' | 'minVersion' | 'maxVersion'>;
  readonly plain?: boolean;
  readonly agent?: Agent;
}

export interface ClientRequest {
  readonly headers?: Record<string, string | string[]>;
  /** Sent as JSON, unless it is text or bytes already. */
  readonly body?: unknown;
}

export interface ClientAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The body as it came. */
  readonly bytes: Buffer;
  /** Parsed body. */
  readonly json: unknown;
}

/** Sends one request over its own connection (or one of the agent) and returns the whole answer. */
export function send(
  client: ClientOptions,
  method: string,
  path: string,
  { headers = {}, body }: ClientRequest = {},
): Promise<ClientAnswer> {
  const bytes = toBytes(body);
  const { port, ca, serverName = 'localhost', certificate, privateKey, tls, plain, agent } = client;
  return new Promise((resolve, reject) => {
    const outgoing = (plain === true ? httpRequest : httpsRequest)(
      {
        host: '127.0.0.1',
        port,
        method,
        path,
        headers: {
          ...(bytes === undefined
            ? {}
            : { 'Content-Type': 'application/json', 'Content-Length': bytes.length }),
          ...headers,
        },
        agent: agent ?? false,
        ...(ca === undefined ? { rejectUnauthorized: false } : { ca, servername: serverName }),
        ...(certificate === undefined ? {} : { cert: certificate, key: privateKey }),
        ...tls,
      },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('end', () => {
          const content = Buffer.concat(chunks);
          const text = content.toString();
          resolve({
            status: answer.statusCode ?? 0,
            headers: answer.headers,
            text,
            bytes: content,
            json: parse(text),
          });
        });
        answer.on('error', reject);
      },
    );
    outgoing.on('error', reject);
    outgoing.end(bytes);
  });
}

function toBytes(body: unknown): Buffer | undefined {
  if (body === undefined) return undefined;
  if (Buffer.isBuffer(body)) return body;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** A client that keeps its session as in the documented workflow: cookie and XSRF token on every request. */
export class SessionClient {
  readonly #client: ClientOptions;
  cookie: string | undefined;
  xsrfToken: string | undefined;

  constructor(client: ClientOptions) {
    this.#client = client;
  }

  async login(username: string, password: string, secondFactorCode?: string): Promise<ClientAnswer> {
    const answer = await this.send('POST', '/services/session/v1/login/password', {
      body: { username, password, ...(secondFactorCode === undefined ? {} : { secondFactorCode }) },
    });
    if (answer.status === 200) await this.#fetchToken();
    return answer;
  }

  async loginByCertificate(): Promise<ClientAnswer> {
    const answer = await this.send('POST', '/services/session/v1/login/certificate');
    if (answer.status === 200) await this.#fetchToken();
    return answer;
  }

  async send(
    method: string,
    path: string,
    { headers = {}, body }: ClientRequest = {},
  ): Promise<ClientAnswer> {
    const answer = await send(this.#client, method, path, {
      headers: {
        ...(this.cookie === undefined ? {} : { Cookie: this.cookie }),
        ...(this.xsrfToken === undefined ? {} : { 'X-XSRF-Token': this.xsrfToken }),
        ...headers,
      },
      body,
    });
    const pair = answer.headers['set-cookie']?.[0]?.split(';')[0];
    if (pair !== undefined) this.cookie = pair.endsWith('=') ? undefined : pair;
    return answer;
  }

  async #fetchToken(): Promise<void> {
    const { json } = await this.send('GET', '/services/session/v1/xsrfToken');
    this.xsrfToken = (json as { xsrfToken: string }).xsrfToken;
  }
}
