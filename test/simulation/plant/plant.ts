import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { createOpcuaDriverFactory } from '../../../drivers/opcua/opcua-driver.ts';
import { createModbusDriverFactory } from '../../../drivers/modbus/modbus-driver.ts';
import { createSerialDriverFactory } from '../../../drivers/serial/serial-driver.ts';
import type { PeopleWorld } from '../people/people-world.ts';
import { createHashThreads, TINY_COST } from '../people/hash-threads.ts';
import { BundleMachine, WORLD_LIMITS } from '../bundles/bundle-machine.ts';
import { Meter } from '../bundles/meter.ts';
import { createConnector } from '../http/connector.ts';
import { RestConnection } from '../http/rest-connection.ts';
import { SimulatedPorts } from '../http/simulated-ports.ts';
import { takesPart } from '../scenario.ts';
import type { Scenario } from '../scenario.ts';
import type { WorldCertificates } from '../world/certificates.ts';
import type { Chronicle } from '../world/chronicle.ts';
import { GatewayLife } from '../world/gateway-life.ts';
import type { KeptPlace } from '../world/kept-gateway.ts';
import type { Life } from '../world/life.ts';
import { LifeEquipment } from '../world/life-equipment.ts';
import { LifeLinks } from '../world/life-links.ts';
import type { Random } from '../world/random.ts';
import type { SimulatedTime } from '../world/simulated-time.ts';
import type { PlantPart, Point } from '../world/truth.ts';
import { createWorldRecording } from '../recording/world-recording.ts';
import type { WorldRecording } from '../recording/world-recording.ts';
import { createParts } from './parts.ts';
import { PaceCheck } from './pace-check.ts';
import { PlantModel } from './plant-model.ts';
import { createSettings, PORT, SECURE_PORTS, writeCertificates } from './settings.ts';
import type { WorldIdentity } from './settings.ts';
import { RestCheck } from './rest-check.ts';
import { ValueCheck } from './value-check.ts';
import { WriteLedger } from './write-ledger.ts';

interface PlantOptions {
  readonly scenario: Scenario;
  readonly time: SimulatedTime;
  readonly random: Random;
  readonly chronicle: Chronicle;
  readonly certificates: WorldCertificates;
  /** A gateway that an earlier world has left, instead of a new one. */
  readonly earlier: ReturnType<KeptPlace['read']>;
}

/** The gateway with everything that is wired to it, and what is known of it. */
export interface Plant {
  readonly parts: readonly PlantPart[];
  readonly model: PlantModel;
  readonly check: ValueCheck;
  readonly pace: PaceCheck;
  readonly ledger: WriteLedger;
  readonly life: Life;
  /** Names of the assets that can be left out. */
  readonly cast: readonly string[];
  /** What the configuration has when people arrive. */
  readonly sections: Readonly<Record<string, unknown>>;
  /** Identities of every world. */
  readonly residents: readonly string[];
  connect(random: Random): RestConnection;
  credentialsOf(identity: WorldIdentity): Readonly<Record<string, string>>;
  /** The administrator whom nobody changes. */
  readonly root: { readonly name: string; readonly password: string };
  /** Whether used refresh tokens are remembered across restarts. */
  readonly keepsUsedTokens: boolean;
  /** Directory from which packages may be installed. */
  readonly directory: string;
  /** The device whose driver a package brings. */
  readonly meter: Meter;
  readonly machine: BundleMachine;
  /** Connects over the ports with TLS. */
  readonly connectSafely: PeopleWorld['connect'];
  /** Milliseconds since which everything on the way to a point has been well; undefined while it is not. */
  calmMs(pid: string, point: Point): number | undefined;
  /** Notes that the connection of a part is made new. */
  noteChange(part: PlantPart): void;
  readonly rest: RestCheck;
  readonly recording: WorldRecording;
  /** Checks `nothing-left` after the gateway has stopped. */
  checkStopped(): void;
}

// What a hash costs a small gateway.
const HASH_MS = 80;

/** Puts together devices, network and gateway. */
export function createPlant({
  scenario,
  time,
  random,
  chronicle,
  certificates,
  earlier,
}: PlantOptions): Plant {
  const { parts: allParts, network, opcua } = createParts({ time, random, chronicle });
  const parts = allParts.map((part) => limitPart(part, scenario));
  const nowMs = (): number => time.monotonicMs();
  const model = new PlantModel(parts, nowMs);
  const ledger = new WriteLedger(chronicle, nowMs);
  const ports = new SimulatedPorts(time);
  const changedMs = new Map<string, number>();
  const directory = mkdtempSync(path.join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'penstock-world-'));
  writeCertificates(directory, certificates);
  const keepsUsedTokens = random.branch('settings').chance(0.5);
  const settings = createSettings({ parts, directory, keepsUsedTokens });
  const meter = new Meter(time, random.branch('meter'));
  const machine = new BundleMachine({ time, random: random.branch('bundles'), chronicle, meter });
  const recording = createWorldRecording({
    time,
    chronicle,
    model,
    life: () => life,
    calmMs,
    past: earlier?.gateway,
  });
  let [links, equipment] = [new LifeLinks(network), new LifeEquipment(opcua.equip)];
  let lives = 0;
  const life = new GatewayLife({
    time,
    chronicle,
    random: random.branch('losses of power'),
    ports,
    directory,
    earlierData: earlier?.dataDirectory,
    load: (dataDirectory) => settings.load(dataDirectory),
    createParts(clock) {
      const own = new LifeLinks(network);
      const ownEquipment = new LifeEquipment(opcua.equip);
      const launcher = machine.createLauncher();
      [links, equipment] = [own, ownEquipment];
      lives += 1;
      return {
        random: random.branch(`gateway/${lives}`),
        driverFactories: [
          createModbusDriverFactory(own),
          createOpcuaDriverFactory(ownEquipment.equip),
          createSerialDriverFactory(own),
        ],
        listen: ports.listen,
        certificateLookIntervalMs: 3_600_000,
        // Nobody in the world has a browser, and what was built must not matter.
        consoleDirectories: [],
        startHashThread: createHashThreads(clock, HASH_MS),
        passwordCost: TINY_COST,
        launcher,
        bundleLimits: WORLD_LIMITS,
        recording: recording.createHost(),
        cut() {
          own.end();
          ownEquipment.end();
          launcher.end();
          recording.cut();
        },
      };
    },
  });
  const changedAtMs = (part: PlantPart): number => changedMs.get(part.driver.pid) ?? 0;
  const servingSinceMs = (): number | undefined => life.servingSinceMs;
  let clients = 0;

  function calmMs(pid: string, point: Point): number | undefined {
    const part = model.list().find((asset) => asset.pid === pid)?.part;
    if (part === undefined) return undefined;
    const sinceMs = [point.healthySinceMs(), servingSinceMs(), changedAtMs(part)];
    if (sinceMs.includes(undefined)) return undefined;
    return nowMs() - Math.max(...sinceMs.map(Number)) - part.recoveryMs;
  }

  return {
    parts,
    model,
    ledger,
    life,
    check: new ValueCheck({ chronicle, model, ledger, servingSinceMs, changedAtMs }),
    pace: new PaceCheck({ chronicle, nowMs, servingSinceMs, changedAtMs }),
    cast: parts.flatMap(({ assets }) => assets.map(({ pid }) => `asset:${pid}`)),
    sections: settings.sections,
    residents: settings.residents,
    connect(own) {
      clients = (clients + 1) % 250;
      const [toServerMs, toClientMs] = [own.exponential(2), own.exponential(2)];
      const address = `192.0.2.${clients + 1}`;
      return new RestConnection(ports.connect({ to: PORT, address, toServerMs, toClientMs }));
    },
    credentialsOf: (identity) => settings.credentialsOf(identity),
    root: { name: 'root', password: settings.passwordOf('root') },
    keepsUsedTokens,
    directory,
    meter,
    machine,
    connectSafely: createConnector({
      ports,
      random: random.branch('ways'),
      portOf: SECURE_PORTS,
      certificateOf: (name) => certificates.clients.get(name),
      longestLatencyMs: 40,
    }),
    calmMs,
    recording,
    noteChange: (part) => void changedMs.set(part.driver.pid, nowMs()),
    rest: new RestCheck({
      chronicle,
      nowMs,
      parts,
      connections: () => ports.connections,
      pendingCalls: () => life.pendingCalls,
    }),
    checkStopped() {
      const left = life.describeLeft();
      if (left !== undefined) chronicle.break('nothing-left', left);
      if (links.openLinks + equipment.openLinks > 0)
        chronicle.break('nothing-left', `${links.openLinks + equipment.openLinks} links to devices are open`);
    },
  };
}

// A part with the assets that take part.
function limitPart(part: PlantPart, scenario: Scenario): PlantPart {
  return {
    driver: part.driver,
    recoveryMs: part.recoveryMs,
    ...(part.load === undefined ? {} : { load: part.load }),
    askedMs: () => part.askedMs?.(),
    subscriptions: () => part.subscriptions?.() ?? 0,
    ...(part.line === undefined ? {} : { line: part.line }),
    takeWaits: () => part.takeWaits?.() ?? [],
    planFaults: (endMs, kept) => part.planFaults(endMs, kept),
    assets: part.assets.filter(({ pid }) => takesPart(scenario, `asset:${pid}`)),
  };
}
