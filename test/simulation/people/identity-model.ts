import type { HeldGrant } from './held-grants.ts';
import { Timeline } from '../world/timeline.ts';
import type { PendingChange } from '../world/timeline.ts';

/** An identity as the answers of the gateway promise it. */
export interface IdentityState {
  /** Another one for each creation: a later identity of the same name is another one. */
  readonly incarnation: number;
  /** Undefined: it can log in by certificate only. */
  readonly password: string | undefined;
  /** Another one for each change of the credentials, which ends all sessions. */
  readonly credentials: number;
  readonly isChangeNeeded: boolean;
  readonly permissions: readonly string[];
  readonly grants: readonly HeldGrant[];
}

/** What can be known of an identity: undefined where there is none. */
type Possible = IdentityState | undefined;

/** A period in which a request was under way. */
export interface Period {
  readonly askedMs: number;
  readonly answeredMs: number;
}

/** Which identities there are, with everything that decides about their access. */
export class IdentityModel {
  readonly #timelines = new Map<string, Timeline<Possible>>();
  readonly #locked = new Set<string>();
  readonly #unknown = new Map<string, number>();
  #numbers = 0;

  /** Every name that was ever used, in the order of the first use. */
  get names(): readonly string[] {
    return [...this.#timelines.keys()];
  }

  /** Returns a number that was not returned before. */
  nextNumber(): number {
    this.#numbers += 1;
    return this.#numbers;
  }

  /** Returns every state that is possible while a request is under way. */
  during(name: string, { askedMs, answeredMs }: Period): readonly Possible[] {
    return this.#find(name).during(askedMs, answeredMs);
  }

  /** The state after all changes that were asked for. */
  latest(name: string): Possible {
    return this.#find(name).latest;
  }

  /** Says what is there before anybody asks anything. */
  provide(name: string, state: IdentityState): void {
    this.#timelines.set(name, new Timeline<Possible>(state));
  }

  begin(name: string, state: Possible, atMs: number): PendingChange<Possible> {
    return this.#find(name).begin(state, atMs);
  }

  /** Returns whether the caller alone may change the identity from now on; changes have an order only then. */
  tryLock(name: string): boolean {
    if (this.#locked.has(name)) return false;
    this.#locked.add(name);
    return true;
  }

  unlock(name: string): void {
    this.#locked.delete(name);
  }

  /** Notes that nobody knows how a change ended: the identity stays locked until an administrator settles it. */
  leaveUnknown(name: string, atMs: number): void {
    this.#unknown.set(name, atMs);
  }

  /** Returns a locked identity of which nobody knows what it is, and has not known since then. */
  findUnknown(sinceMs: number): string | undefined {
    for (const [name, atMs] of this.#unknown) if (atMs <= sinceMs) return name;
    return undefined;
  }

  /** Notes that it is known again, and unlocks it. */
  noteKnown(name: string): void {
    this.#unknown.delete(name);
    this.unlock(name);
  }

  #find(name: string): Timeline<Possible> {
    const known = this.#timelines.get(name);
    if (known !== undefined) return known;
    const added = new Timeline<Possible>(undefined);
    this.#timelines.set(name, added);
    return added;
  }
}

/** Returns whether an identity may use what needs a permission; undefined: what needs none. */
export function hasPermission(
  { permissions, grants }: IdentityState,
  permission: string | undefined,
): boolean {
  if (permission === undefined || permissions.includes('rest.admin')) return true;
  // An identity whose grants have ended still gets an answer, with nothing in it.
  if (permission !== 'rest.assets.read') return permissions.includes(permission);
  return grants.length > 0 || permissions.includes('rest.assets') || permissions.includes(permission);
}
