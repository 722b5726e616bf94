import type { AnswerOf, Endpoint, SentBody, TargetOf } from '../../interface/endpoint.ts';
import { findBrowserSession, findLockedSession } from './browser-session.ts';
import type { BrowserSession, Get } from './browser-session.ts';
import { parseExactly } from './exact-json.ts';
import { CONSOLE_FIELDS } from './gateway-link.ts';
import { RestFailure } from './rest-failure.ts';
import { Transport } from './transport.ts';
import type { IdentityInfo, readOwnIdentity } from '../../interface/security/session.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** What goes with a request beside its path. */
export interface RequestOptions {
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is, instead of JSON. */
  readonly content?: { readonly type: string | undefined; readonly body: BodyInit };
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** What goes with a call of an endpoint beside its target. */
interface CallOptions<E extends Endpoint> {
  readonly body?: SentBody<E>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly abort?: AbortSignal | undefined;
}

/** An answer with its value. */
export interface Reply<T> {
  readonly value: T;
  readonly status: number;
  readonly headers: Headers;
}

/** The fields that a request of the session has. */
export type SessionFields = Readonly<Record<string, string>>;

interface Request {
  readonly method: Method;
  readonly path: string;
  readonly options: RequestOptions;
}

const TOKEN_FIELD = 'X-XSRF-Token';

// What a page asks for longer than this after the last input, it asks by itself.
const INPUT_COUNTS_MS = 60_000;

/** How a stream ended. */
interface LostStream {
  /** Of a refusal; 0: it ended or was cut. */
  readonly status: number;
  /** Empty: it was cut. */
  readonly reason: string;
}

// The gateway ended a stream or cannot serve one now.
const REOPEN_MS = 1000;
const REOPEN_REFUSED_MS = 5000;
// Each 401 that is no refusal is a login of another tab in the same moment.
const MAXIMUM_ATTEMPTS = 3;

type FindSession = typeof findBrowserSession;

/** Called with what a request has found out about the session of the browser. */
export interface SessionWatcher {
  /** It is that of the identity of the page, perhaps a new one. */
  onFound(identity: IdentityInfo): void;
  /** It has ended, or cannot be used. */
  onGone(): void;
  /** It is that of another identity than that of the page. */
  onReplaced(current: IdentityInfo): void;
}

/**
 * Speaks to the gateway that served the page, on the session of one identity.
 *
 * All tabs of a browser have one cookie. A request goes out only with a token that was proved to be of the identity of the
 * page; on the session of another one, the gateway refuses it.
 *
 * Numbers that a double cannot hold stay texts with every digit.
 */
export class Rest {
  readonly #transport = new Transport();
  readonly link = this.#transport.link;
  /** The session of the page, once it is found. */
  #session: BrowserSession | undefined;
  #find: FindSession | undefined;
  /** Name of whom the page works for; undefined: of whoever has the session. */
  #owner: string | undefined;
  /** Counts up with each login and each end of a session. */
  #sessionNumber = 0;
  #lastInputMs = Date.now();
  #watcher: SessionWatcher | undefined;

  watchSession(watcher: SessionWatcher): void {
    this.#watcher = watcher;
  }

  /** The present time by the clock of the gateway, in milliseconds since the epoch. */
  gatewayNowMs(): number {
    return this.#transport.gatewayNowMs();
  }

  /**
   * Sends a request on the session of the page; a login, and what is asked before one, without.
   *
   * @throws {RestFailure} for every status that is no success, and when there is no answer; with 401 and without words when
   *   there is no session of the identity of the page, and nothing was sent
   */
  async ask<T>(method: Method, path: string, options: RequestOptions = {}): Promise<Reply<T>> {
    const request = { method, path, options };
    const response = isOpen(path)
      ? await this.#send(request, CONSOLE_FIELDS)
      : await this.#sendOnSession(request);
    if (!response.ok) throw await RestFailure.read(response);
    const text = await response.text();
    const isJson = (response.headers.get('content-type') ?? '').startsWith('application/json');
    const value = (isJson ? parseExactly(text) : text) as T;
    return { value, status: response.status, headers: response.headers };
  }

  /** Asks for what a resource holds. */
  async get<T>(path: string, abort?: AbortSignal): Promise<T> {
    const { value } = await this.ask<T>('GET', path, abort === undefined ? {} : { signal: abort });
    return value;
  }

  /** Calls an endpoint that is declared in the interface: its type gives those of target, body and answer. */
  async call<E extends Endpoint>(
    method: E['method'],
    target: TargetOf<E>,
    asked: CallOptions<E> = {},
  ): Promise<AnswerOf<E>> {
    return (await this.exchange<E>(method, target, asked)).value;
  }

  /** Calls a declared endpoint, with fields in the heads of request and answer. */
  exchange<E extends Endpoint>(
    method: E['method'],
    target: TargetOf<E>,
    { body, headers = {}, abort }: CallOptions<E> = {},
  ): Promise<Reply<AnswerOf<E>>> {
    const options = { body, headers, ...(abort === undefined ? {} : { signal: abort }) };
    return this.ask<AnswerOf<E>>(method as Method, target, options);
  }

  /** Finds out who is signed in, as in another tab; from now on the page works for that identity. */
  async findSession(): Promise<IdentityInfo | undefined> {
    const number = this.#sessionNumber;
    const found = await findBrowserSession(this.#get);
    if (found?.identity === undefined || number !== this.#sessionNumber) return undefined;
    this.#begin(found.identity.name, findBrowserSession);
    this.#session = found;
    return found.identity;
  }

  /**
   * Works on the session of a login from now on.
   *
   * @param owner who signed in; undefined: whoever the gateway says
   * @returns undefined: the session was replaced in the same moment, which the watcher knows
   */
  async takeSession(owner: string | undefined): Promise<IdentityInfo | undefined> {
    this.#begin(owner, findBrowserSession);
    const found = await this.#renewSession();
    this.#owner ??= found?.identity?.name;
    return found?.identity;
  }

  /** Works on the locked session of a login, for the duties of its identity. */
  takeLockedSession(owner: string): void {
    this.#begin(owner, findLockedSession);
  }

  /** Works on no session from now on: nothing but what needs none is sent. */
  leaveSession(): void {
    this.#begin(undefined, undefined);
  }

  /** Finds out whether the page may still work: another tab has signed in or out. */
  async checkSession(): Promise<void> {
    // A locked session ended with the cookie of it.
    if (this.#find === findLockedSession) this.#watcher?.onGone();
    else if (this.#find !== undefined) await this.#renewSession();
  }

  /**
   * Waits until a stream that was refused or lost may be opened again.
   *
   * @param fields those of the session that it was opened with
   * @returns the fields to open it with; undefined: asking again changes nothing
   */
  async awaitReopening(
    { status, reason }: LostStream,
    fields: SessionFields,
  ): Promise<SessionFields | undefined> {
    if (status >= 400 && status < 500 && status !== 401 && status !== 429) return undefined;
    if (status === 0 && reason === '') this.link.recordFailure();
    else if (status !== 401) await pause(status === 0 ? REOPEN_MS : REOPEN_REFUSED_MS);
    if (status !== 401) return this.awaitSessionFields();
    // Another tab may have signed in.
    const next = await this.#persist(() => this.#findNext(fields[TOKEN_FIELD]));
    if (next !== undefined) return this.#fieldsOf(next);
    if (this.#find !== undefined) this.#watcher?.onGone();
    return undefined;
  }

  /**
   * Returns the fields that a request of the session has to have, as soon as the gateway answers; undefined: there is no
   * session.
   */
  awaitSessionFields(): Promise<SessionFields | undefined> {
    return this.#persist(async () => this.#fieldsOf(await this.#obtainSession()));
  }

  /** Notes that a person uses the page: what it asks then is a use of the session. */
  recordInput(): void {
    const isFirst = Date.now() - this.#lastInputMs > INPUT_COUNTS_MS;
    this.#lastInputMs = Date.now();
    // The page may ask nothing by itself while somebody types.
    if (isFirst && this.#session?.identity !== undefined)
      void this.call<typeof readOwnIdentity>('GET', '/services/session/v1/currentIdentity').catch(
        () => undefined,
      );
  }

  #begin(owner: string | undefined, find: FindSession | undefined): void {
    this.#sessionNumber += 1;
    this.#session = undefined;
    this.#owner = owner;
    this.#find = find;
  }

  async #sendOnSession(request: Request): Promise<Response> {
    let session = await this.#obtainSession();
    for (let attempts = 1; ; attempts += 1) {
      const response = await this.#send(request, this.#fieldsOf(session));
      if (response.status !== 401 || attempts === MAXIMUM_ATTEMPTS) return response;
      const next = await this.#findNext(session.token);
      // In the same one, something else was refused: a password, or a code.
      if (next === undefined) return response;
      session = next;
    }
  }

  /** @throws {RestFailure} 401, when there is none of the identity of the page */
  async #obtainSession(): Promise<BrowserSession> {
    const session = this.#session ?? (this.#find === undefined ? undefined : await this.#renewSession());
    if (session === undefined) throw new RestFailure({ status: 401, message: '' });
    return session;
  }

  /** Finds another session of the identity of the page than the one whose token was refused. */
  async #findNext(refused: string | undefined): Promise<BrowserSession | undefined> {
    const isKnown = this.#session !== undefined && this.#session.token !== refused;
    // A duty is refused in its own words.
    if (!isKnown && (this.#find === undefined || this.#find === findLockedSession)) return undefined;
    const next = isKnown ? this.#session : await this.#renewSession();
    return next?.token === refused ? undefined : next;
  }

  /** Finds out which session the browser has, and returns it when it is of the identity of the page. */
  async #renewSession(): Promise<BrowserSession | undefined> {
    const number = this.#sessionNumber;
    const find = this.#find;
    const found = await find?.(this.#get);
    // Somebody signed in or out while it was under way: it tells of another session.
    if (number !== this.#sessionNumber) return this.#session ?? (this.#find && this.#renewSession());
    const identity = found?.identity;
    const isUsable = found !== undefined && (identity !== undefined || find === findLockedSession);
    if (!isUsable) this.#watcher?.onGone();
    else if (identity !== undefined && this.#owner !== undefined && identity.name !== this.#owner)
      this.#watcher?.onReplaced(identity);
    else {
      this.#session = found;
      if (identity !== undefined) this.#watcher?.onFound(identity);
      return found;
    }
    return undefined;
  }

  /** Asks again as often as the gateway is away. */
  async #persist<T>(ask: () => Promise<T>): Promise<T | undefined> {
    for (;;) {
      await this.link.whenUp();
      try {
        return await ask();
      } catch (error) {
        if (!(error instanceof RestFailure)) throw error;
        if (error.status === 401) return undefined;
        if (error.status !== 0) await pause(REOPEN_REFUSED_MS);
      }
    }
  }

  readonly #get: Get = (path, token) =>
    this.#transport.send(path, { method: 'GET', headers: this.#fieldsOf({ token }) });

  #fieldsOf({ token }: { readonly token?: string | undefined }): SessionFields {
    const isLeft = Date.now() - this.#lastInputMs > INPUT_COUNTS_MS;
    return {
      ...CONSOLE_FIELDS,
      ...(token === undefined ? {} : { [TOKEN_FIELD]: token }),
      ...(isLeft ? { 'X-Penstock-Background': 'true' } : {}),
    };
  }

  #send({ method, path, options }: Request, fields: SessionFields): Promise<Response> {
    const { body, content, headers = {}, signal: abort } = options;
    const isJson = body !== undefined;
    const type = isJson ? 'application/json' : content?.type;
    return this.#transport.send(path, {
      method,
      headers: { ...fields, ...headers, ...(type === undefined ? {} : { 'Content-Type': type }) },
      body: isJson ? JSON.stringify(body) : (content?.body ?? null),
      signal: abort ?? null,
    });
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

function isOpen(path: string): boolean {
  return path.includes('/login/') || path.endsWith('/authenticationInfo');
}
