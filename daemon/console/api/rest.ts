import type { AnswerOf, Endpoint, SentBody, TargetOf } from '../../interface/endpoint.ts';
import { findBrowserSession, findLockedSession } from './browser-session.ts';
import type { BrowserSession, Get } from './browser-session.ts';
import { parseExactly } from './exact-json.ts';
import { CONSOLE_FIELDS } from './gateway-link.ts';
import { KnownReplies } from './known-replies.ts';
import { RestFailure } from './rest-failure.ts';
import { Transport } from './transport.ts';
import type { IdentityInfo, readOwnIdentity } from '../../interface/security/session.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** Options of a request. */
export interface RequestOptions {
  /** Body, sent as JSON. */
  readonly body?: unknown;
  /** Raw body, instead of JSON. */
  readonly content?: { readonly type: string | undefined; readonly body: BodyInit };
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** Options of an endpoint call. */
interface CallOptions<E extends Endpoint> {
  readonly body?: SentBody<E>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly abort?: AbortSignal | undefined;
}

/** Response with its parsed value. */
export interface Reply<T> {
  readonly value: T;
  readonly status: number;
  readonly headers: Headers;
}

/** Headers of a request in the session. */
export type SessionFields = Readonly<Record<string, string>>;

interface Request {
  readonly method: Method;
  readonly path: string;
  readonly options: RequestOptions;
}

const TOKEN_FIELD = 'X-XSRF-Token';

// Requests later than this after the last input count as background requests.
const INPUT_COUNTS_MS = 60_000;

/** End of a stream. */
interface LostStream {
  /** Status of an error response; 0: the stream ended or was cut. */
  readonly status: number;
  /** Empty if the stream was cut. */
  readonly reason: string;
}

// Pauses after the gateway ended a stream or could not serve one.
const REOPEN_MS = 1000;
const REOPEN_REFUSED_MS = 5000;
// Each 401 without refusal means a simultaneous login in another tab.
const MAXIMUM_ATTEMPTS = 3;

type FindSession = typeof findBrowserSession;

/** Notified of the state of the browser session found by a request. */
export interface SessionWatcher {
  /** The session belongs to the page's identity; it can be a new one. */
  onFound(identity: IdentityInfo): void;
  /** The session has ended or is unusable. */
  onGone(): void;
  /** The session belongs to another identity. */
  onReplaced(current: IdentityInfo): void;
}

/**
 * REST client for the gateway that served the page, in the session of one identity.
 *
 * All tabs of a browser share one cookie. A request is sent only with a token that the gateway confirmed for the page's
 * identity; in the session of another identity, the gateway rejects it.
 *
 * Numbers that a double cannot hold stay strings with every digit.
 */
export class Rest {
  readonly #transport = new Transport();
  readonly link = this.#transport.link;
  readonly #known = new KnownReplies();
  /** Session of the page, once found. */
  #session: BrowserSession | undefined;
  #find: FindSession | undefined;
  /** Identity that the page works for; undefined: that of the session. */
  #owner: string | undefined;
  /** Incremented by each login and each end of a session. */
  #sessionNumber = 0;
  #lastInputMs = Date.now();
  #watcher: SessionWatcher | undefined;

  watchSession(watcher: SessionWatcher): void {
    this.#watcher = watcher;
  }

  /** Current gateway time, in milliseconds since the epoch. */
  gatewayNowMs(): number {
    return this.#transport.gatewayNowMs();
  }

  /**
   * Sends a request in the page's session; login requests are sent without one.
   *
   * @throws {RestFailure} for every error status and if no response arrives; with 401 and an empty message if
   *   the page's identity has no session; then nothing was sent
   */
  async ask<T>(method: Method, path: string, options: RequestOptions = {}): Promise<Reply<T>> {
    const known = method === 'GET' ? this.#known.find(path) : undefined;
    const request = { method, path, options: known === undefined ? options : withTag(options, known.tag) };
    const number = this.#sessionNumber;
    const response = isOpen(path)
      ? await this.#send(request, CONSOLE_FIELDS)
      : await this.#sendOnSession(request);
    // The gateway confirms only what it has sent on this path.
    if (response.status === 304 && known !== undefined) {
      if (number === this.#sessionNumber) this.#known.note(path, known.value, known.headers);
      return { value: known.value as T, status: 200, headers: known.headers };
    }
    if (!response.ok) throw await RestFailure.read(response);
    const text = await response.text();
    const isJson = (response.headers.get('content-type') ?? '').startsWith('application/json');
    const value = (isJson ? parseExactly(text) : text) as T;
    // The session may have changed since the request was sent.
    if (method === 'GET' && number === this.#sessionNumber) this.#known.note(path, value, response.headers);
    return { value, status: response.status, headers: response.headers };
  }

  /** Reads a resource. */
  async get<T>(path: string, abort?: AbortSignal): Promise<T> {
    const { value } = await this.ask<T>('GET', path, abort === undefined ? {} : { signal: abort });
    return value;
  }

  /** Calls a declared endpoint; its type determines those of target, body and response. */
  async call<E extends Endpoint>(
    method: E['method'],
    target: TargetOf<E>,
    asked: CallOptions<E> = {},
  ): Promise<AnswerOf<E>> {
    return (await this.exchange<E>(method, target, asked)).value;
  }

  /** Calls a declared endpoint with headers; returns the response headers too. */
  exchange<E extends Endpoint>(
    method: E['method'],
    target: TargetOf<E>,
    { body, headers = {}, abort }: CallOptions<E> = {},
  ): Promise<Reply<AnswerOf<E>>> {
    const options = { body, headers, ...(abort === undefined ? {} : { signal: abort }) };
    return this.ask<AnswerOf<E>>(method as Method, target, options);
  }

  /** Finds the signed-in identity, for example from another tab, and works for it from now on. */
  async findSession(): Promise<IdentityInfo | undefined> {
    const number = this.#sessionNumber;
    const found = await findBrowserSession(this.#get);
    if (found?.identity === undefined || number !== this.#sessionNumber) return undefined;
    this.#begin(found.identity.name, findBrowserSession);
    this.#session = found;
    return found.identity;
  }

  /**
   * Uses the session of a login from now on.
   *
   * @param owner signed-in identity; undefined: as reported by the gateway
   * @returns undefined if the session was replaced at the same time; the watcher is notified
   */
  async takeSession(owner: string | undefined): Promise<IdentityInfo | undefined> {
    this.#begin(owner, findBrowserSession);
    const found = await this.#renewSession();
    this.#owner ??= found?.identity?.name;
    return found?.identity;
  }

  /** Uses the locked session of a login, for the required action of its identity. */
  takeLockedSession(owner: string): void {
    this.#begin(owner, findLockedSession);
  }

  /** Uses no session from now on: only requests that need none are sent. */
  leaveSession(): void {
    this.#begin(undefined, undefined);
  }

  /** Checks if the session still belongs to the page; called after a login or logout in another tab. */
  async checkSession(): Promise<void> {
    // A login in another tab ends a locked session.
    if (this.#find === findLockedSession) this.#watcher?.onGone();
    else if (this.#find !== undefined) await this.#renewSession();
  }

  /**
   * Waits until a rejected or lost stream can be reopened.
   *
   * @param fields headers with which the stream was opened
   * @returns headers for reopening; undefined: a retry is useless
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
   * Returns the headers of a request in the session, as soon as the gateway responds; undefined: there is no
   * session.
   */
  awaitSessionFields(): Promise<SessionFields | undefined> {
    return this.#persist(async () => this.#fieldsOf(await this.#obtainSession()));
  }

  /** Records user input: requests after it extend the session. */
  recordInput(): void {
    const isFirst = Date.now() - this.#lastInputMs > INPUT_COUNTS_MS;
    this.#lastInputMs = Date.now();
    // Without requests of the page, typing alone would not extend the session.
    if (isFirst && this.#session?.identity !== undefined)
      void this.call<typeof readOwnIdentity>('GET', '/services/session/v1/currentIdentity').catch(
        () => undefined,
      );
  }

  #begin(owner: string | undefined, find: FindSession | undefined): void {
    this.#sessionNumber += 1;
    this.#known.clear();
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
      // In the same session, the request itself was rejected: a password or a code.
      if (next === undefined) return response;
      session = next;
    }
  }

  /** @throws {RestFailure} 401, if the page's identity has no session */
  async #obtainSession(): Promise<BrowserSession> {
    const session = this.#session ?? (this.#find === undefined ? undefined : await this.#renewSession());
    if (session === undefined) throw new RestFailure({ status: 401, message: '' });
    return session;
  }

  /** Finds a session of the page's identity with a token other than the rejected one. */
  async #findNext(refused: string | undefined): Promise<BrowserSession | undefined> {
    const isKnown = this.#session !== undefined && this.#session.token !== refused;
    // A rejected required action has a message of its own.
    if (!isKnown && (this.#find === undefined || this.#find === findLockedSession)) return undefined;
    const next = isKnown ? this.#session : await this.#renewSession();
    return next?.token === refused ? undefined : next;
  }

  /** Finds the browser session and returns it if it belongs to the page's identity. */
  async #renewSession(): Promise<BrowserSession | undefined> {
    const number = this.#sessionNumber;
    const find = this.#find;
    const found = await find?.(this.#get);
    // A login or logout during the request: the response concerns another session.
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

  /** Retries while the gateway is unreachable. */
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

function withTag(options: RequestOptions, tag: string): RequestOptions {
  return { ...options, headers: { 'If-None-Match': tag, ...options.headers } };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

function isOpen(path: string): boolean {
  return path.includes('/login/') || path.endsWith('/authenticationInfo');
}
