import type { Unavailable } from '../../../base/errors.ts';
import type { Principal } from '../identity.ts';
import type { ProviderCircuitBreaker } from './provider-circuit-breaker.ts';

/** Credentials of a request, without HTTP objects. */
export interface Credentials {
  /** Peer address, or the client address reported by a trusted proxy. */
  readonly remoteAddress: string;
  /** True for a request over the local socket; absent: false. */
  readonly isLocal?: boolean | undefined;
  /** Value of the Authorization header. */
  readonly authorization?: string | undefined;
  /** Value of the JSESSIONID cookie; undefined if there is none or more than one. */
  readonly sessionId?: string | undefined;
  /** Value of the X-XSRF-Token header. */
  readonly xsrfToken?: string | undefined;
  /** Subject common names of the verified client certificate; undefined without one. */
  readonly certificateCommonNames?: readonly string[] | undefined;
  /** True if the endpoint serves a session without its XSRF token. */
  readonly isXsrfExempt: boolean;
  /** True if the endpoint serves a session with any required action. */
  readonly isOpenToLockedSessions: boolean;
  /** True if the endpoint serves a session whose identity must set up a second factor; absent: false. */
  readonly isOpenForEnrolment?: boolean | undefined;
  /** True for a recheck of a request in progress, which does not extend the session. */
  readonly isRecheck?: boolean | undefined;
  /** True for a background request, which does not extend the session. */
  readonly isBackground?: boolean | undefined;
  /** Value of any other header; undefined if it is absent or repeated. */
  header(name: string): string | undefined;
}

/** An authentication method. Providers are called in order of priority; the first that returns a principal decides. */
export interface AuthenticationProvider {
  readonly name: string;
  /** Lower values are called earlier. */
  readonly priority: number;
  /** A slower response counts as "no", unless `createTimeoutError` is present; default: 5 s. */
  readonly deadlineMs?: number | undefined;
  /**
   * Creates the error for credentials that could not be verified before the deadline: they may be correct, and a client discards
   * those that are refused.
   */
  createTimeoutError?(): Unavailable;
  /**
   * Skips the provider after repeated timeouts. Providers with a circuit breaker share a time budget for each request; absent: a
   * built-in provider, which is always called.
   */
  readonly circuitBreaker?: ProviderCircuitBreaker | undefined;
  /**
   * Determines the principal of a request.
   *
   * @returns undefined if these credentials are absent, wrong or disabled; the next provider is called
   * @throws {Unavailable} if the credentials cannot be verified now and the client must retry later
   */
  authenticate(credentials: Credentials): Principal | undefined | Promise<Principal | undefined>;
  /** Called once, before the first request. */
  onEnabled?(): void;
  /** Called once, after the provider was removed; requests in progress may still use its results. */
  onDisabled?(): void;
}

/** A synchronous provider. */
export interface ImmediateProvider extends AuthenticationProvider {
  authenticate(credentials: Credentials): Principal | undefined;
}

/** Priorities of the built-in providers. */
export const PROVIDER_PRIORITY = {
  local: 0,
  certificate: 100,
  basic: 200,
  session: 300,
  bearer: 400,
} as const;

/** A provider has not responded before its deadline. */
export class ProviderTimeout extends Error {
  constructor(deadlineMs: number) {
    super(`no response within ${Math.round(deadlineMs)} ms`);
  }
}
