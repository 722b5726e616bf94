/** From the widest to the narrowest: an address, then a name that is used there. Sources of one queue have equal lengths. */
export type QueueSource = readonly string[];

interface FairQueueLimits {
  /** Items of all sources together. */
  readonly maximum: number;
  /** Items of one source. */
  readonly maximumPerSource: number;
}

/**
 * Serves sources in turn, regardless of their load.
 *
 * The first parts of the sources take turns, and so do the second parts below each first one; items of one source keep
 * their order. If the queue is full, the newest item of the source with the most items is evicted, not that of a
 * newcomer.
 */
export class FairQueue<T> {
  readonly #limits: FairQueueLimits;
  readonly #root: Branch<T> = createBranch();

  constructor(limits: FairQueueLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#root.size;
  }

  /**
   * Appends an item to those of its source.
   *
   * @returns the evicted item, which may be the new one; undefined if there is capacity
   */
  add(source: QueueSource, item: T): T | undefined {
    const path = [this.#root];
    for (const part of source) path.push(openChild(path.at(-1) ?? this.#root, part));
    for (const branch of path) branch.size += 1;
    const own = path.at(-1) ?? this.#root;
    own.items.push(item);
    if (own.size > this.#limits.maximumPerSource) return removeNewest(this.#root, source);
    if (this.size > this.#limits.maximum) return removeNewest(this.#root, findGreediest(this.#root, source));
    return undefined;
  }

  /** Removes the next item. */
  take(): T | undefined {
    return takeNext(this.#root);
  }
}

/** A source, or the common part of several sources; children are in the order of their turns and never empty. */
interface Branch<T> {
  size: number;
  readonly children: Map<string, Branch<T>>;
  /** Only at the end of a source. */
  readonly items: T[];
}

function createBranch<T>(): Branch<T> {
  return { size: 0, children: new Map(), items: [] };
}

function openChild<T>({ children }: Branch<T>, part: string): Branch<T> {
  const child = children.get(part) ?? createBranch<T>();
  children.set(part, child);
  return child;
}

function takeNext<T>(branch: Branch<T>): T | undefined {
  if (branch.size === 0) return undefined;
  branch.size -= 1;
  const [turn] = branch.children;
  if (turn === undefined) return branch.items.shift();
  const [part, child] = turn;
  const item = takeNext(child);
  branch.children.delete(part);
  if (child.size > 0) branch.children.set(part, child);
  return item;
}

function removeNewest<T>(branch: Branch<T>, [part, ...others]: QueueSource): T | undefined {
  branch.size -= 1;
  const child = part === undefined ? undefined : branch.children.get(part);
  if (part === undefined || child === undefined) return branch.items.pop();
  const item = removeNewest(child, others);
  if (child.size === 0) branch.children.delete(part);
  return item;
}

/** Returns the source with the most items; among equals that of the newcomer, so that it evicts no equal one. */
function findGreediest<T>({ children }: Branch<T>, newcomer: QueueSource): QueueSource {
  const [own, ...others] = newcomer;
  let greediest = own !== undefined && children.has(own) ? own : undefined;
  for (const [part, { size }] of children) {
    if (size > (children.get(greediest ?? '')?.size ?? 0)) greediest = part;
  }
  const child = greediest === undefined ? undefined : children.get(greediest);
  if (greediest === undefined || child === undefined) return [];
  return [greediest, ...findGreediest(child, greediest === own ? others : [])];
}
