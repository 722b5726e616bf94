import { PackageMaker } from '../bundles/drawn-package.ts';
import { REPORTS_ASSET } from '../devices/opcua/opcua-part.ts';
import { takesPart } from '../scenario.ts';
import type { Scenario } from '../scenario.ts';
import type { Plant } from '../plant/plant.ts';
import type { Chronicle } from '../world/chronicle.ts';
import type { Point } from '../world/truth.ts';
import type { KeptGateway } from '../world/kept-gateway.ts';
import type { Random } from '../world/random.ts';
import type { SimulatedTime } from '../world/simulated-time.ts';
import { createArchivist } from './archivist.ts';
import { AssetClient } from './asset-client.ts';
import type { AuditedRequest } from './audit-model.ts';
import { createBystander } from './bystander.ts';
import { createCrowd } from './crowd.ts';
import { createIdentityPeople } from './identity-people.ts';
import { createHoarder } from './hoarder.ts';
import { createInstaller } from './installer.ts';
import { MeterConfiguration } from './meter-configuration.ts';
import { createConfigurer } from './configurer.ts';
import { readOnceMore } from './last-round.ts';
import { createJournalReader } from './journal-reader.ts';
import { createLaggard, createListener } from './listener.ts';
import { createOperator } from './operator.ts';
import type { Person } from './person.ts';
import { createRecordist } from './recordist.ts';
import { createRivals } from './rivals.ts';
import { createReader } from './reader.ts';
import { RestClient } from './rest-client.ts';
import { createPace } from './pace.ts';
import { FIRST_TUNING } from './tuning.ts';
import { createTrendReader } from './trend-reader.ts';
import { createStubbornWriter, createWriter } from './writer.ts';
import type { WriterParts } from './writer.ts';

interface PopulationOptions {
  readonly scenario: Scenario;
  readonly time: SimulatedTime;
  readonly random: Random;
  readonly chronicle: Chronicle;
  readonly plant: Plant;
  /** What the gateway has from an earlier world. */
  readonly past: KeptGateway | undefined;
}

/** Everyone who uses the gateway. */
export interface Population {
  readonly people: readonly Person[];
  /** Lets many read at once, after everyone has left; resolves when they have left as well. */
  readOnceMore(): Promise<void>;
  /** Compares for the last time what was said with what was done. */
  checkEverything(): void;
}

// How many there are of each, and how long one waits between two acts on a quiet day, in seconds.
const READERS = { count: 8, pauseSeconds: 240 };
const WRITERS = { count: 4, pauseSeconds: 600 };
const LISTENERS = { count: 5, pauseSeconds: 1200 };
const LAGGARD = { pauseSeconds: 5400 };
const CROWD = { count: 3, pauseSeconds: 3600 };
const RIVALS = { count: 10, pauseSeconds: 1800 };
// Faults are short; who has nothing to see goes on at once.
const BYSTANDER = { count: 4, pauseSeconds: 600 };
const STUBBORN_WRITER = { pauseSeconds: 3600 };
const CONFIGURER = { pauseSeconds: 3600 };
const OPERATOR = { pauseSeconds: 12 * 3600, place: { address: '198.51.100.1' } };
const RECORDISTS = { count: 2, pauseSeconds: 1200 };
const ARCHIVIST = { pauseSeconds: 60 };
const ARCHIVIST_CALM = 20;
const JOURNAL_READERS = { count: 3, pauseSeconds: 1200 };
const TREND_READERS = { count: 2, pauseSeconds: 300 };
const HOARDER = { pauseSeconds: 5400 };
const INSTALLER = { pauseSeconds: 6 * 3600 };
const IDENTITY_PAUSE_MS = 600_000;

/** Puts together everyone who uses the gateway, each with its own branch of the seed. */
export function createPopulation({
  scenario,
  time,
  random,
  chronicle,
  plant,
  past,
}: PopulationOptions): Population {
  const pace = createPace({ time, random: random.branch('pace') });
  const { model, check, ledger, life, pace: paceCheck } = plant;

  function partsOf(name: string, pauseSeconds: number) {
    const own = random.branch(name);
    const headers = plant.credentialsOf(name === 'installer' ? 'root' : 'plant');
    const client = new AssetClient(() => plant.connect(own), headers);
    const pauseMs = (): number => pace.scale(pauseSeconds * 1000);
    return { name, time, random: own, chronicle, pauseMs, client, model, check, ledger, pace: paceCheck };
  }

  const identityPeople = createIdentityPeople({
    time,
    random: random.branch('identities'),
    chronicle,
    connect: plant.connectSafely,
    gateway: {
      run: () => life.number,
      killsMs: () => life.killsMs,
      isStopping: () => life.isStopping,
      epochMs: () => life.epochMs(),
      hasSteadyClock: () => life.hasSteadyClock,
    },
    settings: {
      firstTuning: FIRST_TUNING,
      clockSkewToleranceMs: 30_000,
      keepsUsedTokens: plant.keepsUsedTokens,
      hasClientAuthPort: true,
    },
    administrator: plant.root,
    users: 2,
    meanPauseMs: IDENTITY_PAUSE_MS,
    pastEventId: past?.newestEventId ?? 0,
  });
  const { audit } = identityPeople.world;
  const expect = (request: AuditedRequest, event: string, outcome: 'SUCCESS' | 'FAILURE'): void =>
    audit.expect({
      ...request,
      answeredMs: time.monotonicMs(),
      events: [event],
      outcome,
      identity: outcome === 'SUCCESS' ? 'plant' : undefined,
      address: undefined,
    });
  const onWritten: WriterParts['onWritten'] = (request, outcome, isTrial = false) =>
    expect(request, isTrial ? 'CHANNEL_WRITE_TRIED' : 'CHANNEL_WRITE', outcome);
  const onConfigured = (request: AuditedRequest): void => {
    const outcome = request.status === 200 ? 'SUCCESS' : 'FAILURE';
    if (request.status !== 503) expect(request, 'CONFIGURATION_CHANGED', outcome);
  };
  const drawn = random.branch('favourites');
  const favourites = plant.parts.flatMap(({ assets }) =>
    assets.length === 0 ? [] : [drawn.pick(assets).pid],
  );
  const shared = {
    audience: new Map<string, number>(),
    calmMs: (pid: string, point: Point) => plant.calmMs(pid, point),
  };
  const installing = partsOf('installer', INSTALLER.pauseSeconds);
  const { client } = installing;

  // Where the clock was set, less can be said of tokens: most worlds have a steady one for long.
  const isRestless = random.branch('clock').chance(0.3);
  const operating = isRestless
    ? { clockWeight: 12, pauseMs: () => (OPERATOR.pauseSeconds / 5) * 1000 }
    : { clockWeight: 1 };
  const operator = createOperator({
    ...partsOf('operator', OPERATOR.pauseSeconds),
    ...operating,
    life,
    client: new RestClient(identityPeople.world, { who: 'operator', kind: 'https', place: OPERATOR.place }),
  });

  const everyone = [
    ...identityPeople.people,
    createInstaller({
      ...installing,
      // Each installation starts processes of the machine: it does not hurry.
      pauseMs: () => INSTALLER.pauseSeconds * 1000,
      machine: plant.machine,
      maker: new PackageMaker(random.branch('packages')),
      configuration: new MeterConfiguration({ client, chronicle, meter: plant.meter, model }),
      directory: plant.directory,
      servingSinceMs: () => life.servingSinceMs,
    }),
    ...repeat(READERS.count, (index) => createReader(partsOf(`reader-${index}`, READERS.pauseSeconds))),
    ...repeat(WRITERS.count, (index) =>
      createWriter({ ...partsOf(`writer-${index}`, WRITERS.pauseSeconds), onWritten, favourites }),
    ),
    ...repeat(LISTENERS.count, (index) =>
      createListener({
        ...partsOf(`listener-${index}`, LISTENERS.pauseSeconds),
        ...shared,
        favourites,
        isPatient: index === 1,
      }),
    ),
    createLaggard({ ...partsOf('laggard', LAGGARD.pauseSeconds), ...shared, pid: `server-${REPORTS_ASSET}` }),
    createCrowd({
      ...partsOf('crowd', CROWD.pauseSeconds),
      onWritten,
      favourites,
      others: repeat(CROWD.count, (index) => partsOf(`crowd-${index}`, CROWD.pauseSeconds).client),
    }),
    createRivals({
      ...partsOf('rivals', RIVALS.pauseSeconds),
      others: repeat(RIVALS.count, (index) => partsOf(`rivals-${index}`, RIVALS.pauseSeconds).client),
      calmMs: (pid, point) => plant.calmMs(pid, point),
    }),
    createStubbornWriter({
      ...partsOf('stubborn-writer', STUBBORN_WRITER.pauseSeconds),
      onWritten,
      favourites,
    }),
    createBystander({
      ...partsOf('bystander', BYSTANDER.pauseSeconds),
      pauseMs: () => BYSTANDER.pauseSeconds * 1000,
      others: repeat(BYSTANDER.count, (index) => partsOf(`bystander-${index}`, 0).client),
      calmMs: (pid, point) => plant.calmMs(pid, point),
    }),
    createConfigurer({
      ...partsOf('configurer', CONFIGURER.pauseSeconds),
      parts: plant.parts,
      onDriverChange: (part) => plant.noteChange(part),
      onTrial: () => {
        if (takesPart(scenario, 'operator')) operator.interrupt();
      },
      onAnswered: onConfigured,
    }),
    ...repeat(RECORDISTS.count, (index) =>
      createRecordist({
        ...partsOf(`recordist-${index}`, RECORDISTS.pauseSeconds),
        parts: plant.parts,
        favourites,
        // Thousands of long texts cost more than all the rest.
        except: [`server-${REPORTS_ASSET}`],
        recorders: plant.recording.recorders,
        audience: shared.audience,
        onAnswered: onConfigured,
      }),
    ),
    createArchivist({
      ...partsOf('archivist', ARCHIVIST.pauseSeconds),
      // More often than samples are deleted.
      pauseMs: () =>
        ARCHIVIST.pauseSeconds * 1000 * (time.tempo.isLively(time.monotonicMs()) ? 1 : ARCHIVIST_CALM),
      isHurried: () => true,
      recording: plant.recording,
    }),
    ...repeat(JOURNAL_READERS.count, (index) =>
      createJournalReader({
        ...partsOf(`journal-reader-${index}`, JOURNAL_READERS.pauseSeconds),
        // One of them is away for hours.
        pauseMs: () => JOURNAL_READERS.pauseSeconds * 1000 * (index === 1 ? 6 : 1),
        recording: plant.recording,
      }),
    ),
    ...repeat(TREND_READERS.count, (index) =>
      createTrendReader({
        ...partsOf(`trend-reader-${index}`, TREND_READERS.pauseSeconds),
        recording: plant.recording,
        life,
      }),
    ),
    createHoarder({
      ...partsOf('hoarder', HOARDER.pauseSeconds),
      pauseMs: () => HOARDER.pauseSeconds * 1000,
      disk: plant.recording.disk,
    }),
    operator,
  ];
  return {
    people: everyone.filter(({ name }) => takesPart(scenario, name)),
    readOnceMore: () => readOnceMore(partsOf('late', 0), () => partsOf('late', 0).client),
    checkEverything() {
      ledger.compareAll();
      for (const { name, isBusy } of everyone) {
        if (isBusy) chronicle.break('answer-shape', `${name} still waits for an answer`);
      }
    },
  };
}

function repeat<T>(count: number, create: (index: number) => T): readonly T[] {
  return Array.from({ length: count }, (_, index) => create(index + 1));
}
