import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import { listThreeWay, mergeThreeWay } from '../../forms/difference.ts';
import { Notice } from '../../parts/notice.tsx';
import { CONFIGURATION } from '../../text/configuration.ts';
import { fill } from '../../text/fill.ts';
import { describeValue, nameOf } from '../../forms/change/difference-list.tsx';
import type { Document } from '../../forms/change/edit-target.ts';

const SIDES = { theirs: CONFIGURATION.theirs, yours: CONFIGURATION.yours } as const;

interface ConflictPanelProps {
  /** Part when the draft began. */
  readonly base: Document;
  readonly theirs: Document;
  readonly yours: Document;
  readonly onMerged: (merged: Document) => void;
  readonly onDiscard: () => void;
}

/** Shows the changes of others since a draft began, per key, and lets the user choose; the draft stays until then. */
export function ConflictPanel({ base, theirs, yours, onMerged, onDiscard }: ConflictPanelProps): JSX.Element {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const rows = listThreeWay(base, theirs, yours);
  const choose = (key: string, isTheirs: boolean): void => {
    const next = new Set(chosen);
    if (isTheirs) next.add(key);
    else next.delete(key);
    setChosen(next);
  };
  return (
    <section class="conflict" aria-label={fill(CONFIGURATION.conflict)}>
      <Notice level="attention">{fill(CONFIGURATION.conflict)}</Notice>
      {rows.every(({ by }) => by === 'YOU') ? <p>{fill(CONFIGURATION.conflictNone)}</p> : undefined}
      <div class="wide-table" tabIndex={0} role="group" aria-label={fill(CONFIGURATION.changed)}>
        <table>
          <thead>
            <tr>
              <th scope="col">{fill(CONFIGURATION.key)}</th>
              <th scope="col">{fill(CONFIGURATION.base)}</th>
              <th scope="col">{fill(CONFIGURATION.theirs)}</th>
              <th scope="col">{fill(CONFIGURATION.yours)}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ path, base: original, theirs: other, yours: own, by }) => {
              const key = path.join('\n');
              const name = nameOf(path);
              const cell = (side: keyof typeof SIDES, value: unknown, isChosen: boolean): JSX.Element => {
                const words = <span class="code">{describeValue(path, value)}</span>;
                if (by !== 'BOTH')
                  return isChosen ? <strong>{words}</strong> : <span class="soft">{words}</span>;
                return (
                  <label>
                    <input
                      type="radio"
                      name={`choice ${name}`}
                      aria-label={`${name}: ${fill(CONFIGURATION.take)} ${fill(SIDES[side])}`}
                      checked={isChosen}
                      onChange={() => choose(key, side === 'theirs')}
                    />{' '}
                    {words}
                  </label>
                );
              };
              const isTheirs = by === 'THEM' || (by === 'BOTH' && chosen.has(key));
              return (
                <tr key={key}>
                  <th scope="row" class="code">
                    {name}
                  </th>
                  <td class="code soft">{describeValue(path, original)}</td>
                  <td>{cell('theirs', other, isTheirs)}</td>
                  <td>{cell('yours', own, !isTheirs)}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      <div class="tools">
        <button
          class="main"
          type="button"
          onClick={() =>
            onMerged(mergeThreeWay(base, theirs, yours, (path) => chosen.has(path.join('\n'))) as Document)
          }
        >
          {fill(CONFIGURATION.merge)}
        </button>
        <button type="button" onClick={onDiscard}>
          {fill(CONFIGURATION.useTheirs)}
        </button>
      </div>
    </section>
  );
}
