import { lstatSync, readdirSync } from 'node:fs';
import path from 'node:path';

import type { Fact } from './attempt.ts';

/** Finds what changes in a directory tree: content, names, owners, modes and times. */
export class TreeWatch {
  readonly #root: string;
  #before: ReadonlyMap<string, string>;

  constructor(root: string) {
    this.#root = root;
    this.#before = describeTree(root);
  }

  /** Lists what has changed since the last call. */
  look(): readonly Fact[] {
    const now = describeTree(this.#root);
    const paths = [...new Set([...this.#before.keys(), ...now.keys()])];
    const changed = paths.filter((file) => this.#before.get(file) !== now.get(file));
    this.#before = now;
    return changed.map((file) => ({ kind: 'changed', detail: path.relative(this.#root, file) || file }));
  }
}

// The kernel sets the time of change (ctime) at every write, and no program can set it.
function describeTree(root: string): ReadonlyMap<string, string> {
  const tree = new Map<string, string>();
  const visit = (file: string): void => {
    const stat = lstatSync(file, { bigint: true, throwIfNoEntry: false });
    if (stat === undefined) return;
    tree.set(file, [stat.mode, stat.uid, stat.gid, stat.ino, stat.ctimeNs].join(' '));
    if (stat.isDirectory()) for (const name of readdirSync(file)) visit(path.join(file, name));
  };
  visit(root);
  return tree;
}
