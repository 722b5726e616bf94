import type { Difference } from '../difference.ts';
import { CHANGED_THINGS, CONFIGURATION } from '../../text/configuration.ts';
import { fill } from '../../text/fill.ts';
import { SECTIONS } from './edit-target.ts';
import { listChangedThings } from './changed-things.ts';
import type { ChangedThing } from './changed-things.ts';

const MAXIMUM_SHOWN = 5;

const HOW = {
  ADDED: CHANGED_THINGS.wasAdded,
  CHANGED: CHANGED_THINGS.wasChanged,
  DELETED: CHANGED_THINGS.wasDeleted,
};

/** Returns what a change has done, as a sentence; empty without differences: `Asset pump-3 added, connection line-2 changed.` */
export function describeChange(differences: readonly Difference[]): string {
  const things = listChangedThings(differences);
  if (things.length === 0) return '';
  const shown = things
    .slice(0, MAXIMUM_SHOWN)
    .map((thing) => fill(HOW[thing.how], { what: nameThing(thing) }));
  const count = things.length - shown.length;
  const more = count === 0 ? [] : [fill(CONFIGURATION.moreDifferences, { count })];
  const [first = '', ...others] = [...shown, ...more].join(', ');
  return `${first.toUpperCase()}${others.join('')}.`;
}

function nameThing({ section, name, count }: ChangedThing): string {
  if (name === undefined) {
    const title = SECTIONS.find((each) => each.name === section)?.title;
    return title === undefined ? section : fill(title);
  }
  if (count > 1) return fill(CHANGED_THINGS.manyChannels, { count, asset: name });
  const kind = isKind(section) ? fill(CHANGED_THINGS[section]) : section;
  return `${kind} ${name}`;
}

const KINDS = [
  'drivers',
  'assets',
  'channels',
  'recorders',
  'bundles',
  'tokenIssuingServices',
  'tokenVerificationServices',
] as const;

function isKind(section: string): section is (typeof KINDS)[number] {
  return KINDS.some((kind) => kind === section);
}
