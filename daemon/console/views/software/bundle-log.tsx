import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import { useConsole } from '../../api/console-context.ts';
import type { BundleLine, readBundleLog } from '../../../interface/software/bundles.ts';
import { FailureNotice } from '../../parts/notice.tsx';
import { useResource } from '../../parts/use-resource.ts';
import { fill } from '../../text/fill.ts';
import { formatTime } from '../../text/format.ts';
import { SHELL } from '../../text/shell.ts';
import { SOFTWARE } from '../../text/software.ts';

// The gateway stores the same number.
const LINES = 500;

/** Shows recent output and state changes of a bundle. */
export function BundleLogPanel({
  name,
  onClose,
}: Readonly<{ name: string; onClose: () => void }>): JSX.Element {
  const { rest } = useConsole();
  const [message, setMessage] = useState('');
  const { value, error, reload } = useResource(name, (abort) =>
    rest.call<typeof readBundleLog>(
      'GET',
      `/services/deploy/v2/_bundles/${encodeURIComponent(name)}/_log?lines=${LINES}`,
      { abort },
    ),
  );
  const texts = value?.lines.map(writeLine) ?? [];
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(`${texts.join('\n')}\n`);
    setMessage(fill(SOFTWARE.copied));
  };
  return (
    <section class="bundle-log" aria-label={fill(SOFTWARE.logOf, { name })}>
      <h2>{fill(SOFTWARE.logOf, { name })}</h2>
      <div class="tools">
        <button type="button" onClick={reload}>
          {fill(SOFTWARE.refresh)}
        </button>
        {/* No clipboard over plain HTTP; the text can be selected. */}
        {isSecureContext ? (
          <button type="button" disabled={texts.length === 0} onClick={() => void copy()}>
            {fill(SHELL.copy)}
          </button>
        ) : undefined}
        <button type="button" onClick={onClose}>
          {fill(SHELL.close)}
        </button>
        <span class="soft" role="status">
          {message}
        </span>
      </div>
      {error === undefined ? undefined : <FailureNotice error={error} onRetry={reload} />}
      {value?.lines.length === 0 ? <p class="soft">{fill(SOFTWARE.noLines)}</p> : undefined}
      {texts.length === 0 ? undefined : (
        <pre tabIndex={0} aria-label={fill(SOFTWARE.logOf, { name })}>
          {value?.lines.map((line, index) => (
            <span key={`${line.time} ${index}`} class={line.level}>
              {`${texts[index] ?? ''}\n`}
            </span>
          ))}
        </pre>
      )}
      <p class="soft">{fill(SOFTWARE.logHint, { name })}</p>
    </section>
  );
}

function writeLine({ time, level, source, message, fields = {} }: BundleLine): string {
  const values = Object.entries(fields).map(([name, value]) => ` ${name}=${String(value)}`);
  const origin = source === 'GATEWAY' ? `${fill(SOFTWARE.byGateway)}: ` : '';
  return `${formatTime(time)}  ${level.padEnd(5)}  ${origin}${message}${values.join('')}`;
}
