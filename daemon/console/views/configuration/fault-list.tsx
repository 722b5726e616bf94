import type { JSX } from 'preact';

import { RestFailure } from '../../api/rest-failure.ts';
import { Notice } from '../../parts/notice.tsx';
import { CONFIGURATION } from '../../text/configuration.ts';
import { fill } from '../../text/fill.ts';
import { SHELL } from '../../text/shell.ts';

interface FaultListProps {
  readonly failure: unknown;
  /** Returns where a path is in the text; undefined: it is not there. */
  readonly find: (path: string) => number | undefined;
  readonly onGo: (offset: number) => void;
}

/** Lists what is wrong in a document, each with the way to its place. */
export function FaultList({ failure, find, onGo }: FaultListProps): JSX.Element {
  const { faults, requestId } = failure instanceof RestFailure ? failure : { faults: [], requestId: '' };
  return (
    <Notice level="fault">
      <strong>{fill(CONFIGURATION.faults)}</strong>
      <ul>
        {faults.map(({ path, message: fault }) => {
          const offset = find(path);
          return (
            <li key={`${path} ${fault}`}>
              <span class="values">{path}</span>: {fault}{' '}
              {offset === undefined ? undefined : (
                <button type="button" onClick={() => onGo(offset)}>
                  {fill(CONFIGURATION.goToLine)}
                </button>
              )}
            </li>
          );
        })}
      </ul>
      {requestId === '' ? undefined : <div class="values">{fill(SHELL.requestId, { id: requestId })}</div>}
    </Notice>
  );
}
