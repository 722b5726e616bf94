import type { JSX } from 'preact';

import { RestFailure } from '../../api/rest-failure.ts';
import type { TextRange } from '../../forms/text-range.ts';
import { placeOf, translateFault } from '../../parts/gateway-words.ts';
import { Notice } from '../../parts/notice.tsx';
import { CONFIGURATION } from '../../text/configuration.ts';
import { fill } from '../../text/fill.ts';
import { SHELL } from '../../text/shell.ts';

interface FaultListProps {
  readonly failure: unknown;
  /** Returns the range of a path in the text; undefined if it is elsewhere. */
  readonly find: (path: string) => TextRange | undefined;
  readonly onGo: (range: TextRange) => void;
}

/** Lists the errors in a document, each with a link to its position. */
export function FaultList({ failure, find, onGo }: FaultListProps): JSX.Element {
  const { faults, requestId } = failure instanceof RestFailure ? failure : { faults: [], requestId: '' };
  return (
    <Notice level="fault">
      <strong>{fill(CONFIGURATION.faults)}</strong>
      <ul>
        {faults.map((fault) => {
          const { path, message } = fault;
          const range = find(path);
          const words = translateFault(fault);
          return (
            <li key={`${path} ${message}`}>
              <span class="code">{placeOf(fault)}</span>: {words}
              {range === undefined ? undefined : (
                <button type="button" class="plain" onClick={() => onGo(range)}>
                  {fill(CONFIGURATION.goToLine)}
                </button>
              )}
            </li>
          );
        })}
      </ul>
      {requestId === '' ? undefined : (
        <details>
          <summary>{fill(SHELL.details)}</summary>
          <span class="code">{fill(SHELL.requestId, { id: requestId })}</span>
        </details>
      )}
    </Notice>
  );
}
