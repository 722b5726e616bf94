import type { Random } from '../world/random.ts';
import type { Period } from './identity-model.ts';
import type { PeopleWorld } from './people-world.ts';

/** Settings of the section `rest` that somebody changes while others work, by their names there. */
export interface Tuning {
  readonly sessionInactivityIntervalSeconds: number;
  readonly jwtAccessTokenDurationSeconds: number;
  readonly jwtRefreshTokenDurationSeconds: number;
  readonly statelessCertificateAuthenticationEnabled: boolean;
  readonly allowedPorts: readonly number[];
}

/** What people of a world find when it begins. */
export const FIRST_TUNING: Tuning = {
  sessionInactivityIntervalSeconds: 900,
  jwtAccessTokenDurationSeconds: 300,
  jwtRefreshTokenDurationSeconds: 1800,
  statelessCertificateAuthenticationEnabled: true,
  allowedPorts: [],
};

// Without the port that asks for client certificates; a list that is empty allows every port.
const WITHOUT_CARDS = [80, 443];

/** Draws settings in which some are others than before. */
export function drawTuning(random: Random, before: Tuning): Tuning {
  const maybe = <T>(share: number, value: T, otherwise: T): T => (random.chance(share) ? value : otherwise);
  return {
    // None is longer than what is remembered of earlier settings.
    sessionInactivityIntervalSeconds: maybe(
      0.6,
      random.pick([300, 600, 900]),
      before.sessionInactivityIntervalSeconds,
    ),
    jwtAccessTokenDurationSeconds: maybe(
      0.4,
      random.pick([60, 300, 1200]),
      before.jwtAccessTokenDurationSeconds,
    ),
    jwtRefreshTokenDurationSeconds: maybe(
      0.4,
      random.pick([900, 1800, 3600]),
      before.jwtRefreshTokenDurationSeconds,
    ),
    statelessCertificateAuthenticationEnabled: maybe(
      0.3,
      random.chance(0.7),
      before.statelessCertificateAuthenticationEnabled,
    ),
    allowedPorts: maybe(0.3, random.chance(0.3) ? WITHOUT_CARDS : [], before.allowedPorts),
  };
}

/** Returns every state in which the settings can have been while a request was under way. */
export function tuningsDuring({ tuning }: PeopleWorld, { askedMs, answeredMs }: Period): readonly Tuning[] {
  return tuning.during(askedMs, answeredMs);
}

/** Returns whether the port that asks for client certificates answers. */
export function isCardPortOpen({ allowedPorts }: Tuning): boolean {
  return allowedPorts.length === 0;
}

/** Returns the settings that a section shows, with the defaults of docs/reference/configuration.md for what it leaves out. */
export function toTuning(section: Partial<Tuning>): Tuning {
  return {
    sessionInactivityIntervalSeconds: section.sessionInactivityIntervalSeconds ?? 900,
    jwtAccessTokenDurationSeconds: section.jwtAccessTokenDurationSeconds ?? 60,
    jwtRefreshTokenDurationSeconds: section.jwtRefreshTokenDurationSeconds ?? 900,
    statelessCertificateAuthenticationEnabled: section.statelessCertificateAuthenticationEnabled ?? false,
    allowedPorts: section.allowedPorts ?? [],
  };
}
