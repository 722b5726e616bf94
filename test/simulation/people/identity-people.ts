import type { Chronicle } from '../world/chronicle.ts';
import type { Random } from '../world/random.ts';
import type { SimulatedTime } from '../world/simulated-time.ts';
import { createAdministrator } from './administrator.ts';
import { AttemptModel } from './attempt-model.ts';
import { AuditModel } from './audit-model.ts';
import { createAuditor } from './auditor.ts';
import { createCodeUser } from './code-user.ts';
import { createDoorkeeper } from './doorkeeper.ts';
import { IdentityModel } from './identity-model.ts';
import type { AccessSettings, GatewayFacts, PeopleWorld } from './people-world.ts';
import type { ActorOptions } from './actor.ts';
import type { Person } from './person.ts';
import { createRevoker } from './revoker.ts';
import { createSessionUser } from './session-user.ts';
import { createBasicUser, createCertificateUser } from './stateless-users.ts';
import { createSteadyUser } from './steady-user.ts';
import { createStranger } from './stranger.ts';
import { Timeline } from '../world/timeline.ts';
import { createStreamUser } from './stream-user.ts';
import { createTokenUser } from './token-user.ts';
import { createTuner } from './tuner.ts';

export interface IdentityPeopleOptions {
  readonly time: SimulatedTime;
  readonly random: Random;
  readonly chronicle: Chronicle;
  readonly connect: PeopleWorld['connect'];
  readonly gateway: GatewayFacts;
  readonly settings: AccessSettings;
  /** An identity with `rest.admin` that is there, and that nobody changes. */
  readonly administrator: { readonly name: string; readonly password: string };
  /** How many there are of each kind; three identities share them. */
  readonly users: number;
  /** Pause of each person between actions, on average. */
  readonly meanPauseMs: number;
  /** The newest event of the audit log from an earlier world; 0: there was none. */
  readonly pastEventId?: number;
}

/** Who works with identities, and what they know. */
export interface IdentityPeople {
  readonly people: readonly Person[];
  /** What everybody else may rely on, and has to tell: who has which rights, and what the audit has to show. */
  readonly world: PeopleWorld;
}

// Often enough that a session almost never rests for as long as it may.
const STEADY_PACE = 1 / 15;

const IDENTITIES = ['operator', 'historian', 'scada'];

/** Creates people who log in, are given and lose rights, use tokens, try what they must not, and check the audit. */
export function createIdentityPeople(options: IdentityPeopleOptions): IdentityPeople {
  const { random, administrator, users, meanPauseMs, gateway, pastEventId = 0, ...shared } = options;
  const identities = new IdentityModel();
  identities.provide(administrator.name, {
    incarnation: identities.nextNumber(),
    credentials: identities.nextNumber(),
    password: administrator.password,
    isChangeNeeded: false,
    permissions: ['rest.admin'],
    grants: [],
  });
  const attempts = new AttemptModel(gateway.run);
  const tuning = new Timeline(shared.settings.firstTuning);
  const signingKeys = new Timeline(0);
  const audit = new AuditModel();
  const world: PeopleWorld = { ...shared, gateway, identities, attempts, tuning, signingKeys, audit };
  let addresses = 0;
  const nextAddress = (): string => {
    addresses += 1;
    return `192.0.2.${addresses}`;
  };
  const person = (name: string, pace = 1): ActorOptions & { readonly address: string } => ({
    name,
    random: random.branch(name),
    meanPauseMs: meanPauseMs * pace,
    address: nextAddress(),
  });
  const strangers = Array.from({ length: Math.max(1, Math.floor(users / 2)) }, (_, index) =>
    person(`stranger${index}`, 2),
  );
  const people = [
    createAdministrator(world, {
      ...person('administrator', 4),
      credentials: administrator,
      managed: IDENTITIES,
    }),
    ...Array.from({ length: users }, (_, index) => {
      const identity = IDENTITIES[index % IDENTITIES.length] ?? '';
      return [
        createSessionUser(world, { ...person(`session${index}`), identity }),
        createBasicUser(world, { ...person(`basic${index}`), identity }),
        createTokenUser(world, { ...person(`token${index}`), identity }),
        ...(shared.settings.hasClientAuthPort
          ? [createCertificateUser(world, { ...person(`card${index}`), identity })]
          : []),
      ];
    }).flat(),
    createSteadyUser(world, { ...person('screen', STEADY_PACE), credentials: administrator }),
    ...(shared.settings.hasClientAuthPort
      ? IDENTITIES.map((identity) =>
          createStreamUser(world, { ...person(`events-${identity}`, 0.5), identity }),
        )
      : []),
    ...strangers.map((stranger) => createStranger(world, { ...stranger, names: IDENTITIES })),
    createAuditor(world, {
      ...person('auditor', 8),
      credentials: administrator,
      floodingAddresses: strangers.map(({ address }) => address),
      pastEventId,
    }),
    createTuner(world, { ...person('tuner', 12), credentials: administrator }),
    createDoorkeeper(world, { ...person('doorkeeper', 8), credentials: administrator }),
    createRevoker(world, { ...person('revoker', 8), credentials: administrator }),
    createCodeUser(world, { ...person('keyholder', 4), credentials: administrator }),
  ];
  return { people, world };
}
