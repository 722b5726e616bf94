import type { Random } from '../world/random.ts';
import type { IdentityState } from './identity-model.ts';
import type { PeopleWorld } from './people-world.ts';
import type { Asked } from './rest-client.ts';

/** A right to read every asset, possibly for a time, as the gateway takes and shows it. */
export interface HeldGrant {
  readonly assets: readonly ['*'];
  readonly operations: readonly ['READ'];
  readonly until?: string;
}

/** Endpoints that show nothing but what permissions and grants permit, and the answers of each that show nothing. */
export const GRANTED_PATHS: Readonly<Record<string, RegExp>> = {
  '/services/assets': /^\[\]$/,
  '/services/history/v1': /"recorders":\[\]/,
};

const READING: ReadonlySet<string> = new Set(['rest.assets', 'rest.assets.read', 'rest.admin']);
const LONGEST_MS = 1_800_000;

/** Draws the grants of an identity: none, or one that ends soon, late, or not at all. */
export function drawGrants(random: Random, nowEpochMs: number): readonly HeldGrant[] {
  if (random.chance(0.5)) return [];
  const grant = { assets: ['*'], operations: ['READ'] } as const;
  if (random.chance(0.2)) return [grant];
  // Squared, so that most of them end while somebody still uses them.
  const restMs = Math.round(LONGEST_MS * random.fraction() ** 2);
  return [{ ...grant, until: new Date(nowEpochMs + restMs).toISOString() }];
}

/** Checks that a list of assets, or of their recorders, is empty where no right to any of them is left; the assets themselves are known to others. */
export function judgeGranted(
  world: PeopleWorld,
  asked: Asked,
  { who, identity, path }: { readonly who: string; readonly identity: string; readonly path: string },
): void {
  const { answer, askedEpochMs, answeredEpochMs } = asked;
  const nothing = GRANTED_PATHS[path];
  if (nothing === undefined || answer.status !== 200 || nothing.test(answer.body)) return;
  const states = world.identities.during(identity, asked);
  const isPossible = states.some((state) =>
    [askedEpochMs, answeredEpochMs].some((nowMs) => state !== undefined && maySeeAssets(state, nowMs)),
  );
  if (isPossible) return;
  world.chronicle.break('access-ended', `${who}: ${identity} has no right left, and sees ${answer.body}`);
}

function maySeeAssets({ permissions, grants }: IdentityState, nowMs: number): boolean {
  if (permissions.some((permission) => READING.has(permission))) return true;
  return grants.some(({ until }) => until === undefined || nowMs < Date.parse(until));
}
