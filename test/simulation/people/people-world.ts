import type { RestConnection } from '../http/rest-connection.ts';
import type { Chronicle } from '../world/chronicle.ts';
import type { SimulatedTime } from '../world/simulated-time.ts';
import type { AttemptModel } from './attempt-model.ts';
import type { AuditModel } from './audit-model.ts';
import type { IdentityModel } from './identity-model.ts';
import type { Timeline } from '../world/timeline.ts';
import type { Tuning } from './tuning.ts';

/** The ways to a gateway: a port with a server certificate, and one that asks for a client certificate. */
export type PortKind = 'https' | 'client-auth';

/** Where somebody connects from. */
export interface Place {
  /** The address that the gateway sees. */
  readonly address: string;
  /** The identity whose client certificate is presented. */
  readonly certificateOf?: string | undefined;
}

/** What people know of the process of the gateway. */
export interface GatewayFacts {
  /** The number of the present run; another one from each start on, before its ports are open. */
  readonly run: () => number;
  /** When the process was killed, or lost its power. */
  readonly killsMs: () => readonly number[];
  /** Whether it is stopping, and may refuse what it would do otherwise. */
  readonly isStopping: () => boolean;
  /** The time of the gateway's own clock, which judges tokens. */
  readonly epochMs: () => number;
  /** Whether that clock has never been set: tokens cannot be judged otherwise. */
  readonly hasSteadyClock: () => boolean;
}

/** The settings of the gateway that people rely on. */
export interface AccessSettings {
  /** Those that are changed while people work, as they are at the beginning. */
  readonly firstTuning: Tuning;
  readonly clockSkewToleranceMs: number;
  /** Whether used refresh tokens are remembered across restarts. */
  readonly keepsUsedTokens: boolean;
  readonly hasClientAuthPort: boolean;
}

/** What all people around identities share. */
export interface PeopleWorld {
  readonly time: SimulatedTime;
  readonly chronicle: Chronicle;
  readonly connect: (kind: PortKind, place: Place) => RestConnection;
  readonly gateway: GatewayFacts;
  readonly settings: AccessSettings;
  /** What `settings.firstTuning` has become. */
  readonly tuning: Timeline<Tuning>;
  /** Number of the oldest key whose tokens are still accepted; it grows when those of earlier ones are voided. */
  readonly signingKeys: Timeline<number>;
  readonly identities: IdentityModel;
  readonly attempts: AttemptModel;
  readonly audit: AuditModel;
}
