import type { JSX } from 'preact';

import type { Difference } from '../difference.ts';
import { isSecretMarker, isSecretName } from '../secret.ts';
import { CONFIGURATION } from '../../text/configuration.ts';
import { fill } from '../../text/fill.ts';

const MAXIMUM_SHOWN = 200;
const MAXIMUM_CHARACTERS = 120;

/** Lists added, changed and removed values. */
export function DifferenceList({
  differences,
}: {
  readonly differences: readonly Difference[];
}): JSX.Element {
  return (
    <ul class="differences">
      {differences.slice(0, MAXIMUM_SHOWN).map(({ path, before, after }) => {
        // An unset key has its default, so setting it is a change; only items are added.
        const isWhole = path.length <= 2 && typeof (before ?? after) === 'object';
        const [sign, word] =
          isWhole && before === undefined
            ? ['+', CONFIGURATION.added]
            : isWhole && after === undefined
              ? ['−', CONFIGURATION.removed]
              : (['~', CONFIGURATION.changed] as const);
        return (
          <li key={path.join('\n')}>
            <span class="sign code" aria-hidden="true">
              {sign}
            </span>
            <span class="hidden">{fill(word)} </span>
            <span class="code">{nameOf(path)}</span>{' '}
            {sign === '+' ? undefined : <del class="code soft">{describeValue(path, before)}</del>}
            {sign === '~' ? <span aria-hidden="true"> → </span> : undefined}
            {sign === '−' ? undefined : <ins class="code">{describeValue(path, after)}</ins>}
          </li>
        );
      })}
      {differences.length > MAXIMUM_SHOWN ? (
        <li class="soft">
          {fill(CONFIGURATION.moreDifferences, { count: differences.length - MAXIMUM_SHOWN })}
        </li>
      ) : undefined}
    </ul>
  );
}

/** Formats the path of a value: `drivers/line responseTimeoutMs`. */
export function nameOf(path: readonly string[]): string {
  return [path.slice(0, 2).join('/'), path.slice(2).join('.')].filter((part) => part !== '').join(' ');
}

/** Formats a value, shortened; never the value of a secret. */
export function describeValue(path: readonly string[], value: unknown): string {
  if (value === undefined) return fill(CONFIGURATION.absent);
  if (isSecretMarker(value) || isSecretName(path.at(-1) ?? '')) return fill(CONFIGURATION.secret);
  const { type, driver, channels } = (typeof value === 'object' && value !== null ? value : {}) as {
    readonly type?: unknown;
    readonly driver?: unknown;
    readonly channels?: unknown;
  };
  if (path.length === 2 && (typeof type === 'string' || typeof driver === 'string')) {
    const count = Array.isArray(channels) ? fill(CONFIGURATION.items, { count: channels.length }) : '';
    return [type ?? driver, count].filter((part) => part !== '').join(', ');
  }
  const text = JSON.stringify(value, (key, part: unknown) =>
    isSecretName(key) && typeof part === 'string' ? fill(CONFIGURATION.secret) : part,
  );
  return text.length > MAXIMUM_CHARACTERS ? `${text.slice(0, MAXIMUM_CHARACTERS)}…` : text;
}
