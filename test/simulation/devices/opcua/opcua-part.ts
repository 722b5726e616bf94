import type { Clock } from '../../../../daemon/base/clock.ts';
import type { Chronicle } from '../../world/chronicle.ts';
import type { Random } from '../../world/random.ts';
import type { PlantPart, RestValue } from '../../world/truth.ts';
import { HeldTrack, MovingTrack } from '../value-track.ts';
import { INT32_ARRAY, makeElements, NODE_TYPES } from './node-types.ts';
import type { NodeType } from './node-types.ts';
import { NODES, REPORTS } from './node-plans.ts';
import { toPoints } from './node-points.ts';
import type { PartNode } from './node-points.ts';
import type { NodePlan } from './node-plans.ts';
import { planOpcuaFaults } from './opcua-faults.ts';
import type { FaultRates } from './opcua-faults.ts';
import type { OpcuaNetwork } from './opcua-network.ts';
import { drawServerProfile } from './server-profile.ts';
import { SimulatedNode } from './simulated-node.ts';
import { SimulatedServer } from './simulated-server.ts';

export interface OpcuaPartOptions {
  readonly time: Clock;
  /** The branch of this part. */
  readonly random: Random;
  readonly network: OpcuaNetwork;
  readonly chronicle: Pick<Chronicle, 'note'>;
  /** Of the driver, unique in the world. */
  readonly pid: string;
  /** Number of its first point; the part takes one number for each node, and no other part may have them. */
  readonly firstPoint: number;
  readonly assetCount: number;
  /** Nodes of each asset; absent: those of a large plant, with one more asset that reports much. */
  readonly plans?: readonly NodePlan[];
  /** How often an idle server is looked at; one of these. */
  readonly keepAlivesMs?: readonly number[];
  readonly rates?: FaultRates;
  /** Whether keep-alives of its sessions are seldom. */
  readonly isCalm?: boolean;
}

/** Name of the asset that reports more than can be kept for long. */
export const REPORTS_ASSET = 'reports';

/** A server with its plant; the server is there for tests that act on it. */
export interface OpcuaPart extends PlantPart {
  readonly server: SimulatedServer;
  /** Number of points that it took. */
  readonly pointCount: number;
}

const USUAL_RATES: FaultRates = { serverMs: 2 * 3_600_000, nodeMs: 24 * 3_600_000 };
const SESSIONS_MS = [10_000, 60_000];
const CALM_KEEP_ALIVE_MS = 60_000;
// A server that has forgotten a session says nothing: the gateway notices its silence, up to three times.
const CALM_SILENCE_MS = 3 * CALM_KEEP_ALIVE_MS;
const LONGEST_SESSION_MS = 3_600_000;
const CALM_SESSIONS_MS = [LONGEST_SESSION_MS];
const CONNECT_TIMEOUT_MS = 2000;
const REQUEST_TIMEOUT_MS = 1500;
const LONGEST_PAUSE_MS = 1920;
const EXCHANGES_MS = 1000;

/** Creates a server with assets whose nodes have the same names in namespaces of their own. */
export function createOpcuaPart(options: OpcuaPartOptions): OpcuaPart {
  const { time, random, network, chronicle, pid, firstPoint, assetCount, rates = USUAL_RATES } = options;
  const { plans = NODES, keepAlivesMs = [1000, 5000], isCalm = false } = options;
  const assets = [
    ...Array.from({ length: assetCount }, (_, asset) =>
      createAsset(options, `${pid}-${asset + 1}`, {
        plans,
        firstPoint: firstPoint + asset * plans.length,
      }),
    ),
    ...(options.plans === undefined
      ? [createReportsAsset(options, firstPoint + assetCount * plans.length)]
      : []),
  ];
  const nodes = assets.flatMap((asset) => asset.nodes.map(({ node }) => node));
  const drawnProfile = drawServerProfile(random.branch('profile'));
  const profile = isCalm ? { ...drawnProfile, longestSessionMs: LONGEST_SESSION_MS } : drawnProfile;
  const server = new SimulatedServer({
    name: pid,
    profile,
    nodes,
    time,
    random: random.branch('server'),
    chronicle,
  });
  const uris = [...assets.map(({ uri }) => uri), `urn:server:${pid}`, 'urn:maker:types'];
  server.space.number(shuffle(uris, random.branch('namespaces')));
  const endpointUrl = `opc.tcp://${pid}.example:4840`;
  network.add(endpointUrl, server);
  const restart = (drawn: Random): void => {
    server.space.number(shuffle(uris, drawn));
    for (const asset of assets) {
      for (const { node, nextValue } of asset.nodes) node.restart(drawn.integer(2000, 4000), nextValue);
    }
    chronicle.note(pid, 'started again');
  };
  const settings = random.branch('settings');
  return {
    server,
    pointCount: nodes.length,
    driver: {
      pid,
      type: 'opcua',
      endpointUrl,
      securityMode: 'NONE',
      connectTimeoutMs: CONNECT_TIMEOUT_MS,
      requestTimeoutMs: REQUEST_TIMEOUT_MS,
      keepAliveMs: settings.pick(isCalm ? [CALM_KEEP_ALIVE_MS] : keepAlivesMs),
      sessionTimeoutMs: settings.pick(isCalm ? CALM_SESSIONS_MS : SESSIONS_MS),
    },
    assets: assets.map((asset) => ({
      pid: asset.pid,
      points: asset.nodes.flatMap((each) => toPoints(each, { uri: asset.uri, server, time, profile })),
    })),
    planFaults: (endMs, kept) =>
      planOpcuaFaults({ name: pid, server, nodes, restart }, random.branch('faults'), { endMs, rates, kept }),
    // An attempt that began before the end takes its time, then there is the longest pause, and then all goes well.
    askedMs: () => server.askedMs,
    subscriptions: () => server.subscriptionCount,
    takeWaits: () => server.takeWaits(),
    recoveryMs:
      Math.max(CONNECT_TIMEOUT_MS, REQUEST_TIMEOUT_MS) +
      LONGEST_PAUSE_MS +
      EXCHANGES_MS +
      (isCalm ? CALM_SILENCE_MS : 0),
  };
}

interface PartAsset {
  readonly pid: string;
  readonly uri: string;
  readonly nodes: readonly PartNode[];
}

function createReportsAsset(options: OpcuaPartOptions, firstPoint: number): PartAsset {
  return createAsset(options, `${options.pid}-${REPORTS_ASSET}`, { plans: REPORTS, firstPoint });
}

function createAsset(
  { time, random }: OpcuaPartOptions,
  pid: string,
  { plans, firstPoint }: { readonly plans: readonly NodePlan[]; readonly firstPoint: number },
): PartAsset {
  const uri = `urn:plant:${pid}`;
  const nodes = plans.map((plan, index): PartNode => {
    const { name, type, isHeld = false } = plan;
    const nodeType: NodeType = type === 'Int32Array' ? INT32_ARRAY : NODE_TYPES[type];
    const { kind } = nodeType;
    const point = firstPoint + index;
    let count = 0;
    const nextValue = (): RestValue => {
      count += 1;
      return kind.make(point, count);
    };
    const stepMs = plan.stepMs ?? random.branch(`${pid}.${name}`).integer(100, 5000);
    const track = isHeld
      ? new HeldTrack(nextValue())
      : new MovingTrack((step) => kind.make(point, step), stepMs);
    const identifier = `s=${name}`;
    const node = new SimulatedNode({ identifier, namespaceUri: uri, type: nodeType, track, time });
    const nextElements = (length: number): readonly number[] => {
      const elements = makeElements(point, (count + 1) * (nodeType.length ?? 1), length);
      count += 1;
      return elements;
    };
    return { plan, name, stepMs, node, nextValue, nextElements };
  });
  return { pid, uri, nodes };
}

function shuffle<T>(items: readonly T[], random: Random): readonly T[] {
  const shuffled = [...items];
  for (let index = shuffled.length - 1; index > 0; index -= 1) {
    const other = random.integer(0, index);
    const [a, b] = [shuffled[index], shuffled[other]];
    if (a !== undefined && b !== undefined) [shuffled[index], shuffled[other]] = [b, a];
  }
  return shuffled;
}
