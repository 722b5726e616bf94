import type { Principal } from './identity.ts';

/** The part of a request that can prove who sent it, free of HTTP objects. */
export interface Credentials {
  /** Address of the peer, or what a trusted proxy says of it. */
  readonly remoteAddress: string;
  /** It came over the socket on the machine itself; absent: it did not. */
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
  /** What was proved before is judged again: that is no use of a session. */
  readonly isRecheck?: boolean | undefined;
  /** Value of any other header field; undefined when it is absent or given more than once. */
  header(name: string): string | undefined;
}

/** One way to prove an identity. Providers are asked in the order of their priority; the first that says yes decides. */
export interface AuthenticationProvider {
  readonly name: string;
  /** Lower is asked earlier. */
  readonly priority: number;
  /** An answer that takes longer counts as "no"; 5 s when not given. */
  readonly deadlineMs?: number | undefined;
  /**
   * Says who sent the request.
   *
   * @returns undefined when these credentials are absent, wrong or switched off; the next provider is asked
   * @throws {Unavailable} when the credentials could not be judged now and the caller has to try again later
   */
  authenticate(credentials: Credentials): Principal | undefined | Promise<Principal | undefined>;
  /** Told once, before the first request is asked about. */
  onEnabled?(): void;
  /** Told once, after the provider was removed; requests under way may still get its answers. */
  onDisabled?(): void;
}

/** A provider that knows all it needs and so answers at once. */
export interface ImmediateProvider extends AuthenticationProvider {
  authenticate(credentials: Credentials): Principal | undefined;
}

/** Places of the built-in providers in the order. */
export const PROVIDER_PRIORITY = {
  local: 0,
  certificate: 100,
  basic: 200,
  session: 300,
  bearer: 400,
} as const;
