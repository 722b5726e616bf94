import type { Random } from '../../world/random.ts';
import type { KeptFault, PlannedFault } from '../../world/truth.ts';
import { drawFaultTimes } from '../fault-times.ts';
import type { FaultTimes } from '../fault-times.ts';
import type { ServerCondition } from './conditions.ts';
import type { NodeFault, SimulatedNode } from './simulated-node.ts';
import type { SimulatedServer } from './simulated-server.ts';

/** The plant of one server, as its faults see it. */
export interface FaultyServer {
  readonly name: string;
  readonly server: SimulatedServer;
  readonly nodes: readonly SimulatedNode[];
  /** Begins again, with other numbers of namespaces and other values. */
  readonly restart: (random: Random) => void;
}

/** A kind of fault of a server. */
interface ServerFaultKind {
  readonly text: string;
  /** Longest duration in milliseconds; absent for what is over at once. */
  readonly longestMs?: number;
  /** Whether values may fail to come meanwhile. */
  readonly isHarmless?: boolean;
  readonly condition?: ServerCondition;
  /** What happens at its start, and at its end. */
  readonly onStart?: (plant: FaultyServer, random: Random) => void;
  readonly onEnd?: (plant: FaultyServer, random: Random) => void;
}

/** Kinds of faults of servers. */
const SERVER_FAULTS: Readonly<Record<string, ServerFaultKind>> = {
  restart: {
    text: 'stops and starts again with other namespaces and values',
    longestMs: 90_000,
    condition: 'OFF',
    onStart: ({ server }) => server.stop(),
    onEnd: (plant, random) => plant.restart(random),
  },
  freeze: {
    text: 'accepts connections and does nothing else',
    longestMs: 40_000,
    condition: 'FROZEN',
    onEnd: ({ server }) => server.resume(),
  },
  cable: {
    text: 'cannot be reached',
    longestMs: 60_000,
    condition: 'UNREACHABLE',
    onEnd: ({ server }) => server.resume(),
  },
  halt: { text: 'answers BadServerHalted', longestMs: 30_000, condition: 'HALTED' },
  slow: { text: 'takes long for each request', longestMs: 30_000, condition: 'SLOW' },
  late: { text: 'answers late', longestMs: 30_000, condition: 'LATE' },
  shuffle: { text: 'answers in another order', longestMs: 60_000, condition: 'SHUFFLED', isHarmless: true },
  cutting: { text: 'breaks connections now and then', longestMs: 30_000, condition: 'CUTTING' },
  cut: { text: 'breaks all connections', onStart: ({ server }) => server.cutAll() },
  forget: { text: 'forgets its sessions', onStart: ({ server }) => server.forgetSessions() },
  full: {
    text: 'has no session left, and forgets those that it has',
    longestMs: 20_000,
    condition: 'FULL',
    onStart: ({ server }) => server.forgetSessions(),
  },
  small: {
    text: 'takes fewer nodes in a read than it says',
    longestMs: 120_000,
    condition: 'SMALL',
    isHarmless: true,
  },
  confuse: { text: 'gives answers of other services', longestMs: 20_000, condition: 'CONFUSED' },
  lossy: {
    text: 'loses notifications',
    longestMs: 60_000,
    condition: 'LOSSY',
  },
  mute: {
    text: 'sends no notifications',
    longestMs: 60_000,
    condition: 'MUTE',
    onEnd: ({ server }) => server.resume(),
  },
  noSubscriptions: { text: 'takes no subscriptions', longestMs: 30_000, condition: 'NO_SUBSCRIPTIONS' },
  drop: { text: 'ends all subscriptions', onStart: ({ server }) => server.endSubscriptions() },
  clock: {
    text: 'has a clock that is three hours slow',
    longestMs: 300_000,
    condition: 'CLOCK_WRONG',
    isHarmless: true,
  },
};

/** Kinds of faults of nodes. */
const NODE_FAULTS: Readonly<Record<string, NodeFault>> = {
  broken: { readStatus: 'BadSensorFailure' },
  old: { readStatus: 'UncertainLastUsableValue' },
  gone: { readStatus: 'BadNodeIdUnknown' },
  hidden: { readStatus: 'BadUserAccessDenied', write: { status: 'BadUserAccessDenied', isDone: false } },
  locked: { write: { status: 'BadNotWritable', isDone: false } },
  untold: { write: { status: 'BadTimeout', isDone: false } },
  unconfirmed: { write: { status: 'BadCommunicationError', isDone: true } },
};
const LONGEST_NODE_FAULT_MS = 120_000;

/** How often things fail. */
export interface FaultRates {
  /** Mean time between two faults of one kind of one server, in milliseconds. */
  readonly serverMs: number;
  /** Mean time between two faults of one kind of one node, in milliseconds. */
  readonly nodeMs: number;
}

interface FaultPeriod {
  readonly endMs: number;
  readonly rates: FaultRates;
  /** Faults that come instead of drawn ones. */
  readonly kept: readonly KeptFault[] | undefined;
}

/** Draws the faults of a server and its nodes until then. */
export function planOpcuaFaults(
  plant: FaultyServer,
  random: Random,
  { endMs, rates, kept }: FaultPeriod,
): readonly PlannedFault[] {
  const faults: PlannedFault[] = [];
  for (const [name, kind] of Object.entries(SERVER_FAULTS)) {
    const { longestMs } = kind;
    const prefix = `${plant.name}.${name}`;
    const when = { prefix, meanMs: rates.serverMs, endMs, longestMs, kept };
    for (const times of drawFaultTimes(random.branch(name), when)) {
      faults.push(toServerFault(plant, [name, kind], times));
    }
  }
  for (const node of plant.nodes) {
    for (const [name, fault] of Object.entries(NODE_FAULTS)) {
      if (fault.readStatus === undefined && !node.isWritable) continue;
      const where = `${node.namespaceUri};${node.identifier}`;
      const prefix = `${plant.name}.${where}.${name}`;
      const when = { prefix, meanMs: rates.nodeMs, endMs, longestMs: LONGEST_NODE_FAULT_MS, kept };
      const what = fault.readStatus ?? `${fault.write?.status ?? ''} to writers`;
      const text = `${plant.name} answers ${what} for ${where}`;
      for (const { random: _random, ...times } of drawFaultTimes(random.branch(`${where}.${name}`), when)) {
        faults.push({ ...times, kind: name, text, begin: () => node.fail(fault) });
      }
    }
  }
  return faults;
}

function toServerFault(
  plant: FaultyServer,
  [name, { text, isHarmless = false, condition, onStart, onEnd }]: readonly [string, ServerFaultKind],
  { id, startMs, endMs, random }: FaultTimes,
): PlannedFault {
  const { server } = plant;
  return {
    id,
    kind: name,
    startMs,
    endMs,
    text: `${plant.name} ${text}`,
    begin: () => {
      const recover = isHarmless ? undefined : server.health.begin();
      const endCondition = condition === undefined ? undefined : server.conditions.begin(condition);
      onStart?.(plant, random);
      return () => {
        endCondition?.();
        onEnd?.(plant, random);
        recover?.();
      };
    },
  };
}
