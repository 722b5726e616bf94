import type { Grant } from './grant.ts';

/** A user or system with access to the gateway. */
export interface Identity {
  /** Never reused: an identity deleted and created again under the same name has a different id. */
  readonly id: string;
  /** 3 to 255 characters; compared exactly. */
  readonly name: string;
  /** Assigned names of the form `rest.<role>`; see `isPermitted` for implied permissions. */
  readonly permissions: readonly string[];
  /** Rights on single assets and channels, in addition to the permissions; absent: none. */
  readonly grants?: readonly Grant[] | undefined;
  /** PHC string; undefined: no password login. */
  readonly passwordHash?: string | undefined;
  /** True if the password must be changed before it grants access. */
  readonly passwordChangeNeeded: boolean;
  /** True if the password alone only allows setting up a second factor. */
  readonly secondFactorRequired?: boolean | undefined;
  /** True if the password is only accepted with a second-factor code. */
  readonly hasSecondFactor?: boolean | undefined;
  /** Incremented with each change of the credentials; sessions of an earlier revision are invalid. */
  readonly credentialsRevision: number;
  /** Milliseconds since the epoch. */
  readonly createdAtMs: number;
  /** True if an earlier identity had the same name: a token without issue time may belong to that one. */
  readonly isNameReused?: boolean | undefined;
  /** Absent: the first identity of its name, whose tokens were never revoked. */
  readonly tokenRevocation?: TokenRevocation | undefined;
}

/** Latest revocation of all tokens of an identity, including those of an earlier identity of its name. */
export interface TokenRevocation {
  /** Unique: a token with this generation was issued after the revocation, independent of the clock. */
  readonly generation: string;
  /** Milliseconds since the epoch; applies to tokens of issuers without generation. */
  readonly atMs: number;
}

/** Authentication method of a request. */
export type AuthenticationMethod =
  | 'certificate'
  | 'basic'
  | 'session'
  | 'bearer'
  | 'custom'
  | 'bundle'
  | 'local';

/** Authenticated identity of a request and its authentication method. */
export interface Principal {
  readonly identity: Identity;
  readonly method: AuthenticationMethod;
  /** Id of the session, for `method` session. */
  readonly sessionId?: string | undefined;
  /** True if a password was verified, now or at the login of the session. */
  readonly isByPassword?: boolean | undefined;
}
