import { signal } from '@preact/signals';

import { parseExactly } from './exact-json.ts';
import { GatewayClock } from './gateway-clock.ts';
import { GatewayLink } from './gateway-link.ts';
import { RestFailure } from './rest-failure.ts';
import type { XSRFToken } from './types.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** What goes with a request beside its path. */
export interface Wish {
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is, instead of JSON. */
  readonly content?: { readonly type: string | undefined; readonly body: BodyInit };
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
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
  readonly wish: Wish;
  readonly fields: SessionFields;
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

/**
 * Speaks to the gateway that served the page, on the session of its cookie.
 *
 * Numbers that a double cannot hold stay texts with every digit.
 */
export class Rest {
  readonly link = new GatewayLink();
  readonly #clock = new GatewayClock();
  /** How far the clock of the gateway is ahead of that of the browser; what is shown by it follows. */
  readonly #aheadMs = signal(0);
  #xsrfToken: string | undefined;
  // Nobody is asked for the token of a session that is not there: each refusal would be an event of the audit.
  #mayHaveSession = false;
  /** Counts up with each login and each end of a session. */
  #sessionNumber = 0;
  #lastInputMs = Date.now();
  /** Called when the session is no longer valid. */
  onSignedOut: () => void = () => undefined;

  /** The present time by the clock of the gateway, in milliseconds since the epoch. */
  gatewayNowMs(): number {
    return Date.now() + this.#aheadMs.value;
  }

  /**
   * Sends a request.
   *
   * @throws {RestFailure} for every status that is no success, and when there is no answer
   */
  async ask<T>(method: Method, path: string, wish: Wish = {}): Promise<Reply<T>> {
    const fields = isLogin(path) ? {} : await this.sessionFields();
    let response = await this.#send({ method, path, wish, fields });
    if (response.status === 401 && !isLogin(path) && this.#mayHaveSession) {
      const found = await this.#findOther(fields);
      if (found === 'NONE') this.onSignedOut();
      // In the same one, something else was refused: a password, or a code.
      else if (found === 'OTHER')
        response = await this.#send({ method, path, wish, fields: await this.sessionFields() });
    }
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

  /** Returns the fields that a request of the session has to have, also one that is sent elsewhere. */
  async sessionFields(): Promise<SessionFields> {
    if (this.#mayHaveSession && this.#xsrfToken === undefined) await this.#fetchToken();
    const isLeft = Date.now() - this.#lastInputMs > INPUT_COUNTS_MS;
    return {
      ...(this.#xsrfToken === undefined ? {} : { [TOKEN_FIELD]: this.#xsrfToken }),
      ...(isLeft ? { 'X-Penstock-Background': 'true' } : {}),
    };
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
    if (status === 0 && reason === '') this.link.noteSilence();
    else if (status !== 401) {
      await new Promise((resolve) => {
        setTimeout(resolve, status === 0 ? REOPEN_MS : REOPEN_REFUSED_MS);
      });
    }
    // Another tab may have signed in.
    if (status !== 401 || (await this.#persist(() => this.#findOther(fields))) === 'OTHER')
      return this.awaitSessionFields();
    this.onSignedOut();
    return undefined;
  }

  /** Returns the fields that a request of the session has to have, as soon as the gateway answers. */
  awaitSessionFields(): Promise<SessionFields> {
    return this.#persist(() => this.sessionFields());
  }

  /** Asks again as often as the gateway is away. */
  async #persist<T>(ask: () => Promise<T>): Promise<T> {
    for (;;) {
      await this.link.whenUp();
      try {
        return await ask();
      } catch (error) {
        if (!(error instanceof RestFailure)) throw error;
      }
    }
  }

  /** Finds out whether the browser has a session, as from another tab. */
  async findSession(): Promise<boolean> {
    this.#mayHaveSession = await this.#fetchToken();
    return this.#mayHaveSession;
  }

  /** Takes note of another session, after a login, or of none. */
  forgetSession(isOpened = false): void {
    this.#sessionNumber += 1;
    this.#xsrfToken = undefined;
    this.#mayHaveSession = isOpened;
  }

  /** Notes that a person uses the page: what it asks then is a use of the session. */
  noteInput(): void {
    const isFirst = Date.now() - this.#lastInputMs > INPUT_COUNTS_MS;
    this.#lastInputMs = Date.now();
    // The page may ask nothing by itself while somebody types.
    if (isFirst && this.#mayHaveSession)
      void this.get('/services/session/v1/currentIdentity').catch(() => undefined);
  }

  /** Finds out whether the browser has another session than a request that was refused: of another tab. */
  async #findOther(refused: SessionFields): Promise<'NONE' | 'SAME' | 'OTHER'> {
    const token = refused[TOKEN_FIELD];
    if (this.#xsrfToken === token && !(await this.#fetchToken())) return 'NONE';
    return this.#xsrfToken === token ? 'SAME' : 'OTHER';
  }

  async #send({ method, path, wish, fields }: Request): Promise<Response> {
    const { body, content, headers = {}, signal: abort } = wish;
    const isJson = body !== undefined;
    const type = isJson ? 'application/json' : content?.type;
    return this.#fetch(path, {
      method,
      headers: { ...fields, ...headers, ...(type === undefined ? {} : { 'Content-Type': type }) },
      body: isJson ? JSON.stringify(body) : (content?.body ?? null),
      signal: abort ?? null,
    });
  }

  /** @returns whether there is a session */
  async #fetchToken(): Promise<boolean> {
    const number = this.#sessionNumber;
    const response = await this.#fetch('/services/session/v1/xsrfToken', { method: 'GET' });
    const token = response.ok ? ((await response.json()) as XSRFToken).xsrfToken : undefined;
    // Somebody signed in or out while it was under way: it tells of another session.
    if (number !== this.#sessionNumber) return this.#mayHaveSession && this.#fetchToken();
    this.#xsrfToken = token;
    return token !== undefined;
  }

  async #fetch(path: string, init: RequestInit): Promise<Response> {
    const askedMs = Date.now();
    try {
      const response = await fetch(path, { ...init, credentials: 'same-origin', cache: 'no-store' });
      this.link.noteAnswer();
      this.#clock.note(response.headers.get('date'), { askedMs, answeredMs: Date.now() });
      this.#aheadMs.value = this.#clock.aheadMs;
      return response;
    } catch (cause) {
      if (init.signal?.aborted === true) throw cause;
      this.link.noteSilence();
      throw new RestFailure({ status: 0, message: '', cause });
    }
  }
}

function isLogin(path: string): boolean {
  return path.includes('/login/');
}
