import { ConnectionEnded } from '../http/rest-connection.ts';
import { noteUse, statusesOf } from './held-session.ts';
import type { HeldSession, SessionUse } from './held-session.ts';
import type { IdentityState } from './identity-model.ts';
import { judge, unique } from './judgement.ts';
import type { PeopleWorld } from './people-world.ts';
import type { Asked, PersonRequest, RestClient } from './rest-client.ts';
import { isCardPortOpen, tuningsDuring } from './tuning.ts';

const ROOT = '/services/session/v1';
const JSON_TYPE = { 'Content-Type': 'application/json' };
const OPEN_TO_LOCKED = { permission: undefined, isOpenToLocked: true };
const COOKIE = /^JSESSIONID=([A-Za-z0-9_-]{22,}); Path=\/; HttpOnly; SameSite=Strict; Secure$/;

interface LoginOptions {
  readonly name: string;
  readonly password: string;
  /** Sent with the request; it ends whether the login succeeds or not. */
  readonly carried?: HeldSession | undefined;
}

/** Uses sessions, and checks every answer against what is possible. */
export class SessionClient {
  readonly #world: PeopleWorld;
  readonly #who: string;
  readonly #client: RestClient;

  constructor(world: PeopleWorld, who: string, client: RestClient) {
    this.#world = world;
    this.#who = who;
    this.#client = client;
  }

  /** Opens a session by password; undefined: refused, which is checked as well. */
  async login({ name, password, carried }: LoginOptions): Promise<HeldSession | undefined> {
    const { identities, attempts, time } = this.#world;
    const { address } = this.#client;
    const mayWait = attempts.mayBeRefused(name, address, time.monotonicMs());
    const request = {
      method: 'POST',
      path: `${ROOT}/login/password`,
      headers: { ...JSON_TYPE, ...(carried === undefined ? {} : cookieOf(carried)) },
      body: JSON.stringify({ username: name, password }),
      actor: name,
    };
    const asked = await this.#askToEnd(request, carried).catch((error: unknown) => {
      attempts.noteFailure(name, address, time.monotonicMs());
      throw error;
    });
    const { status } = asked.answer;
    const states = identities.during(name, asked);
    const statuses = states.map((state) => (state?.password === password ? 200 : 401));
    const what = `a login of ${name} with ${statuses.includes(200) ? 'the right' : 'a wrong'} password`;
    judge(this.#world, asked, {
      who: this.#who,
      what,
      statuses: mayWait ? [...statuses, 429] : unique(statuses),
    });
    if (status === 401) attempts.noteFailure(name, address, asked.answeredMs);
    if (status !== 200) return undefined;
    attempts.noteSuccess(name, address);
    const bornAs = states.filter((state): state is IdentityState => state?.password === password);
    this.#checkLocked(asked, bornAs);
    return this.#toSession(asked, { name, method: 'password', bornAs });
  }

  /** Opens a session by the certificate of the connection; undefined: refused, which is checked as well. */
  async loginByCertificate(name: string): Promise<HeldSession | undefined> {
    const asked = await this.#client.ask({
      method: 'POST',
      path: `${ROOT}/login/certificate`,
      actor: name,
    });
    const states = this.#world.identities.during(name, asked);
    const statuses = tuningsDuring(this.#world, asked).flatMap((tuning) =>
      isCardPortOpen(tuning) ? states.map((state) => (state === undefined ? 401 : 200)) : [404],
    );
    const what = `a login of ${name} by certificate`;
    judge(this.#world, asked, { who: this.#who, what, statuses: unique(statuses) });
    if (asked.answer.status !== 200) return undefined;
    const bornAs = states.filter((state): state is IdentityState => state !== undefined);
    return this.#toSession(asked, { name, method: 'certificate', bornAs });
  }

  /** Gets the XSRF token; undefined: the session has ended. */
  async fetchXsrfToken(session: HeldSession): Promise<string | undefined> {
    const request = { method: 'GET', path: `${ROOT}/xsrfToken`, headers: cookieOf(session) };
    const { asked, possible } = await this.#ask(session, request, OPEN_TO_LOCKED);
    const statuses = unique(possible);
    judge(this.#world, asked, { who: this.#who, what: `xsrfToken of ${session.name}`, statuses });
    if (asked.answer.status !== 200) return undefined;
    const { xsrfToken } = JSON.parse(asked.answer.body) as { readonly xsrfToken: string };
    if (session.xsrfToken !== undefined && session.xsrfToken !== xsrfToken) {
      this.#world.chronicle.break('access-kept', `${this.#who}: the XSRF token of a session has changed`);
    }
    session.xsrfToken = xsrfToken;
    return xsrfToken;
  }

  /** Sends a request with the session, and checks whether it is let in as it has to be. */
  async use(
    session: HeldSession,
    request: PersonRequest,
    permission: string | undefined,
    // What the operation itself answers, when it is reached.
    others: readonly number[] = [],
  ): Promise<Asked> {
    const headers = headersOf(session, request);
    const { asked, possible } = await this.#ask(session, { ...request, headers }, { permission });
    const statuses = unique(possible.includes(200) ? [...possible, ...others] : possible);
    const what = `${request.method} ${request.path} in a session of ${session.name}`;
    judge(this.#world, asked, { who: this.#who, what, statuses });
    return asked;
  }

  /** Sends a request with a wrong XSRF token, or none: it is refused, and does not keep the session alive. */
  async useWithoutXsrf(session: HeldSession, path: string, xsrfToken: string | undefined): Promise<void> {
    const xsrf = xsrfToken === undefined ? {} : { 'X-XSRF-Token': xsrfToken };
    const asked = await this.#client.ask({
      method: 'GET',
      path,
      headers: { ...cookieOf(session), ...xsrf },
    });
    judge(this.#world, asked, { who: this.#who, what: `${path} with a wrong XSRF token`, statuses: [401] });
  }

  async logout(session: HeldSession): Promise<void> {
    const request = { method: 'POST', path: `${ROOT}/logout`, actor: session.name };
    const fromMs = this.#world.time.monotonicMs();
    const headers = headersOf(session, request);
    const asked = await this.#client.ask({ ...request, headers }).catch((error: unknown) => {
      session.ended ??= { fromMs, toMs: Infinity };
      throw error;
    });
    const statuses = statusesOf(this.#world, session, { ...asked, ...OPEN_TO_LOCKED }).map((status) =>
      status === 200 ? 204 : status,
    );
    judge(this.#world, asked, {
      who: this.#who,
      what: `logout of ${session.name}`,
      statuses: unique(statuses),
    });
    if (asked.answer.status === 204) session.ended = { fromMs, toMs: asked.answeredMs };
  }

  /**
   * Replaces the password of the session's identity; the caller has locked the identity in the model.
   *
   * @throws {ConnectionEnded} nobody knows then which password it has; an administrator has to settle it
   */
  async changePassword(session: HeldSession, currentPassword: string, newPassword: string): Promise<void> {
    const { identities, attempts, time } = this.#world;
    const { address } = this.#client;
    const { name } = session;
    const before = identities.latest(name);
    const mayWait = attempts.mayBeRefused(name, address, time.monotonicMs());
    const request = {
      method: 'POST',
      path: `${ROOT}/changePassword`,
      body: JSON.stringify({ currentPassword, newPassword }),
      actor: name,
    };
    const isChange = before?.password === currentPassword && newPassword.length >= 8;
    const after = before && { ...before, password: newPassword, isChangeNeeded: false };
    const pending = isChange
      ? identities.begin(
          name,
          after && { ...after, credentials: identities.nextNumber() },
          time.monotonicMs(),
        )
      : undefined;
    const headers = { ...JSON_TYPE, ...headersOf(session, request) };
    const use = { ...OPEN_TO_LOCKED, isUsedBy401: 'UNKNOWN' } as const;
    const { asked, possible: isIn } = await this.#ask(session, { ...request, headers }, use);
    const { status } = asked.answer;
    const reached = passwordStatuses(before, currentPassword, newPassword);
    const statuses = isIn.flatMap((possible) => (possible === 200 ? reached : possible));
    const what = `changePassword of ${name}`;
    judge(this.#world, asked, {
      who: this.#who,
      what,
      statuses: unique(mayWait ? [...statuses, 429] : statuses),
    });
    if (status === 204) {
      pending?.settle(identities.latest(name), asked.answeredMs);
      attempts.noteSuccess(name, address);
    } else {
      pending?.drop();
      if (status === 401) attempts.noteFailure(name, address, asked.answeredMs);
    }
  }

  /** Asks, and returns with which statuses the session can have been let in or not. */
  async #ask(
    session: HeldSession,
    request: PersonRequest,
    use: SessionUse & {
      // Whether a request that is answered with 401 can have been let in, and refused by its operation.
      readonly isUsedBy401?: 'UNKNOWN';
    },
  ): Promise<{ readonly asked: Asked; readonly possible: readonly number[] }> {
    const askedMs = this.#world.time.monotonicMs();
    try {
      const asked = await this.#client.ask(request);
      const possible = statusesOf(this.#world, session, { ...asked, ...use });
      noteUse(session, asked, asked.answer.status === 401 ? (use.isUsedBy401 ?? false) : true);
      return { asked, possible };
    } catch (error) {
      if (error instanceof ConnectionEnded)
        noteUse(session, { askedMs, answeredMs: this.#world.time.monotonicMs() + 1000 }, 'UNKNOWN');
      throw error;
    }
  }

  async #askToEnd(request: PersonRequest, carried: HeldSession | undefined): Promise<Asked> {
    const fromMs = this.#world.time.monotonicMs();
    if (carried !== undefined) carried.ended ??= { fromMs, toMs: Infinity };
    const asked = await this.#client.ask(request);
    if (carried !== undefined) carried.ended = { fromMs, toMs: asked.answeredMs };
    return asked;
  }

  #checkLocked({ answer }: Asked, bornAs: readonly IdentityState[]): void {
    const { passwordChangeNeeded } = JSON.parse(answer.body) as { readonly passwordChangeNeeded: unknown };
    if (bornAs.some(({ isChangeNeeded }) => isChangeNeeded === passwordChangeNeeded)) return;
    this.#world.chronicle.break('access-kept', `${this.#who}: a login says ${answer.body}`);
  }

  #toSession(
    { answer, askedMs, answeredMs, run }: Asked,
    of: Pick<HeldSession, 'name' | 'method' | 'bornAs'>,
  ): HeldSession | undefined {
    const cookie = COOKIE.exec(answer.headers['set-cookie'] ?? '')?.[1];
    if (cookie === undefined) {
      this.#world.chronicle.break(
        'answer-shape',
        `${this.#who}: a login sets ${answer.headers['set-cookie']}`,
      );
      return undefined;
    }
    const opened = { fromMs: askedMs, toMs: answeredMs };
    return { ...of, cookie, run, openedMs: opened, usedMs: opened, xsrfToken: undefined, ended: undefined };
  }
}

/** What the operation answers once the session is accepted, docs/reference/rest-api.md and the order of its checks. */
function passwordStatuses(
  before: IdentityState | undefined,
  currentPassword: string,
  newPassword: string,
): readonly number[] {
  if (currentPassword.trim() === '' || newPassword.trim() === '') return [400];
  if (before?.password !== currentPassword) return [401];
  return newPassword === currentPassword || newPassword.length < 8 ? [400] : [204];
}

function cookieOf({ cookie }: Pick<HeldSession, 'cookie'>): Record<string, string> {
  return { Cookie: `JSESSIONID=${cookie}` };
}

function headersOf(session: HeldSession, { headers }: PersonRequest): Record<string, string> {
  const xsrf: Record<string, string> =
    session.xsrfToken === undefined ? {} : { 'X-XSRF-Token': session.xsrfToken };
  return { ...headers, ...cookieOf(session), ...xsrf };
}
