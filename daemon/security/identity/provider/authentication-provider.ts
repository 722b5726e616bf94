import type { Principal } from '../identity.ts';
import type { ProviderWatch } from './provider-watch.ts';

/** The parts of a request that can prove who sent it, without HTTP objects. */
export interface Credentials {
  /** Address of the peer, or the one that a trusted proxy reports. */
  readonly remoteAddress: string;
  /** Whether the request came over the local socket; absent: it did not. */
  readonly isLocal?: boolean | undefined;
  /** Value of the Authorization field. */
  readonly authorization?: string | undefined;
  /** Value of the one JSESSIONID cookie; undefined when there is none or several. */
  readonly sessionId?: string | undefined;
  /** Value of the X-XSRF-Token field. */
  readonly xsrfToken?: string | undefined;
  /** Subject common names of the verified client certificate; undefined without one. */
  readonly certificateCommonNames?: readonly string[] | undefined;
  /** The endpoint answers a session without its XSRF token. */
  readonly isXsrfExempt: boolean;
  /** The endpoint answers a session whose password has to be changed first. */
  readonly isOpenToLockedSessions: boolean;
  /** The endpoint answers a session whose identity has to set up a second factor first; absent: it does not. */
  readonly isOpenForEnrolment?: boolean | undefined;
  /** Credentials of a request in progress are checked again, which is no use of a session. */
  readonly isRecheck?: boolean | undefined;
  /** A program sent the request by itself, which is no use of a session. */
  readonly isBackground?: boolean | undefined;
  /** Value of any other header field; undefined when it is absent or given more than once. */
  header(name: string): string | undefined;
}

/** One way to prove an identity. Providers are asked in order of priority; the first that returns a principal decides. */
export interface AuthenticationProvider {
  readonly name: string;
  /** Lower values are asked earlier. */
  readonly priority: number;
  /** An answer that takes longer counts as "no"; 5 s by default. */
  readonly deadlineMs?: number | undefined;
  /**
   * Passes the provider over while it is silent. Providers that have one share a time limit for each request; absent: the
   * provider is part of the gateway and is always asked.
   */
  readonly watch?: ProviderWatch | undefined;
  /**
   * Determines who sent the request.
   *
   * @returns undefined when these credentials are absent, wrong or switched off; the next provider is asked
   * @throws {Unavailable} when the credentials cannot be verified now and the client has to try again later
   */
  authenticate(credentials: Credentials): Principal | undefined | Promise<Principal | undefined>;
  /** Called once, before the first request. */
  onEnabled?(): void;
  /** Called once, after the provider was removed; requests in progress may still get its answers. */
  onDisabled?(): void;
}

/** A provider that answers at once, without a promise. */
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

/** A provider has not answered within its deadline. */
export class NoAnswer extends Error {
  constructor(deadlineMs: number) {
    super(`no answer within ${Math.round(deadlineMs)} ms`);
  }
}
