import type { ComponentChildren, JSX } from 'preact';

import { RestFailure } from '../api/rest-failure.ts';
import { fill } from '../text/fill.ts';
import { SHELL } from '../text/shell.ts';
import { placeOf, translateFailure, translateFault } from './gateway-words.ts';
import { Icon } from './icon.tsx';

type Level = 'info' | 'attention' | 'fault';

interface NoticeProps {
  readonly level: Level;
  readonly children: ComponentChildren;
  /** Buttons for possible actions. */
  readonly actions?: ComponentChildren;
}

/** Notice with shape, colour and text. */
export function Notice({ level, children, actions }: NoticeProps): JSX.Element {
  return (
    <div class={`notice ${level}`} role={level === 'info' ? 'status' : 'alert'}>
      <Icon name={level} />
      <div class="body">{children}</div>
      {actions}
    </div>
  );
}

interface FailureNoticeProps {
  readonly error: unknown;
  /** Failed action, as text. */
  readonly what?: string | undefined;
  readonly onRetry?: (() => void) | undefined;
}

/** Shows the cause of a failure: the gateway's message and the request id. */
export function FailureNotice({ error, what, onRetry }: FailureNoticeProps): JSX.Element {
  const retry =
    onRetry === undefined ? undefined : (
      <button type="button" onClick={onRetry}>
        {fill(SHELL.retry)}
      </button>
    );
  const { requestId, faults } = error instanceof RestFailure ? error : { requestId: '', faults: [] };
  const words = wordsOf(error);
  const original = error instanceof RestFailure ? error.message : words;
  return (
    <Notice level="fault" actions={retry}>
      {what === undefined ? undefined : <strong>{what} </strong>}
      {words}
      {faults.length === 0 ? undefined : (
        <ul>
          {faults.map((fault) => {
            const { path, message, row, column = '' } = fault;
            return (
              <li key={`${row ?? ''} ${column} ${path} ${message}`}>
                <span class="code">{row === undefined ? placeOf(fault) : `${row} ${column}`}</span>{' '}
                {translateFault(fault)}
              </li>
            );
          })}
        </ul>
      )}
      {requestId === '' ? undefined : (
        <details>
          <summary>{fill(SHELL.details)}</summary>
          {words === original ? undefined : <div lang="en">{original}</div>}
          <span class="code">{fill(SHELL.requestId, { id: requestId })}</span>
        </details>
      )}
    </Notice>
  );
}

/** Returns the message of an error for the user. */
export function wordsOf(error: unknown): string {
  if (error instanceof RestFailure) {
    if (error.status === 0) return fill(SHELL.gatewaySilent);
    return error.status === 401 && error.message === '' ? fill(SHELL.notSignedIn) : translateFailure(error);
  }
  return error instanceof Error ? error.message : String(error);
}
