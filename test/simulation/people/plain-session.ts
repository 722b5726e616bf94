import type { Asked, PersonRequest, RestClient } from './rest-client.ts';

const ROOT = '/services/session/v1';
const COOKIE = /^JSESSIONID=([A-Za-z0-9_-]{22,});/;

/** A session of somebody who alone knows the password, and what a request with it carries. */
export interface PlainSession {
  readonly headers: Readonly<Record<string, string>>;
}

/** Proofs of a login; the second factor has its code. */
export interface LoginProof {
  readonly username: string;
  readonly password: string;
  readonly secondFactorCode?: string | undefined;
}

/** Logs in; the caller judges the answer. */
export function askLogin(client: RestClient, proof: LoginProof): Promise<Asked> {
  return client.ask({
    method: 'POST',
    path: `${ROOT}/login/password`,
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(proof),
    actor: proof.username,
  });
}

/** Takes the session of a login, with its XSRF token; undefined: there is none. */
export async function takeSession(client: RestClient, { answer }: Asked): Promise<PlainSession | undefined> {
  const cookie = COOKIE.exec(answer.headers['set-cookie'] ?? '')?.[1];
  if (answer.status !== 200 || cookie === undefined) return undefined;
  const headers = { Cookie: `JSESSIONID=${cookie}` };
  const asked = await client.ask({ method: 'GET', path: `${ROOT}/xsrfToken`, headers });
  if (asked.answer.status !== 200) return undefined;
  const { xsrfToken } = JSON.parse(asked.answer.body) as { readonly xsrfToken: string };
  return { headers: { ...headers, 'X-XSRF-Token': xsrfToken } };
}

/** Asks with a session; the caller judges the answer. */
export function askIn(
  client: RestClient,
  { headers }: PlainSession,
  { body, ...request }: Omit<PersonRequest, 'headers' | 'body'> & { readonly body?: unknown },
): Promise<Asked> {
  const content = body === undefined ? {} : { body: JSON.stringify(body) };
  const type: Record<string, string> = body === undefined ? {} : { 'Content-Type': 'application/json' };
  return client.ask({ ...request, ...content, headers: { ...headers, ...type } });
}
