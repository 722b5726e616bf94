import type { Grant } from './grant.ts';

/** A person or system that may use the gateway. */
export interface Identity {
  /** Never reused: an identity that is deleted and created again under the same name is another one. */
  readonly id: string;
  /** 3 to 255 characters; compared exactly. */
  readonly name: string;
  /** Names of the form `rest.<role>`, as assigned; see `isPermitted` for what they imply. */
  readonly permissions: readonly string[];
  /** Rights on single assets and channels, beside the permissions; absent: none. */
  readonly grants?: readonly Grant[] | undefined;
  /** PHC string; undefined when the identity cannot log in by password. */
  readonly passwordHash?: string | undefined;
  /** The password has to be changed before anything else is done with it. */
  readonly passwordChangeNeeded: boolean;
  /** The password alone opens nothing but what sets up a second factor. */
  readonly secondFactorRequired?: boolean | undefined;
  /** The password is accepted together with a code of the second factor only. */
  readonly hasSecondFactor?: boolean | undefined;
  /** Grows with each change of the credentials; sessions of an earlier revision are void. */
  readonly credentialsRevision: number;
  /** Milliseconds since the epoch. */
  readonly createdAtMs: number;
  /** Another identity had the same name before: what does not tell its age may have been meant for that one. */
  readonly isNameReused?: boolean | undefined;
  /** Absent: it is the first of its name, and its tokens were never revoked. */
  readonly tokenRevocation?: TokenRevocation | undefined;
}

/** The latest revocation of all tokens of an identity, or of those of an earlier identity of its name. */
export interface TokenRevocation {
  /** Never given twice: a token that has it was issued afterwards, whatever the clock says. */
  readonly generation: string;
  /** Milliseconds since the epoch; decides on tokens of issuers that know no generation. */
  readonly atMs: number;
}

/** How an identity was proved. */
export type AuthenticationMethod =
  | 'certificate'
  | 'basic'
  | 'session'
  | 'bearer'
  | 'custom'
  | 'bundle'
  | 'local';

/** An identity, and how it was proved for this request. */
export interface Principal {
  readonly identity: Identity;
  readonly method: AuthenticationMethod;
  /** The session that proved it, for `method` session. */
  readonly sessionId?: string | undefined;
  /** A password was proved, now or when the session was opened. */
  readonly isByPassword?: boolean | undefined;
}
