import type { JSX } from 'preact';

import { nameOfField } from '../channels/field-name.ts';
import type { Difference } from '../difference.ts';
import { isSecretMarker, isSecretName } from '../secret.ts';
import { CONFIGURATION } from '../../text/configuration.ts';
import { fill } from '../../text/fill.ts';
import { listFields, splitPlace } from './difference-fields.ts';

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
        // An unset key has its default, so setting it is a change; only items and channels are added.
        const { key, isChannel } = splitPlace(path);
        const isThing = isChannel ? key === '' : path.length <= 2;
        const isWhole = isThing && typeof (before ?? after) === 'object';
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
            <Place path={path} />{' '}
            {sign === '+' ? undefined : (
              <del class="soft">
                <Value path={path} value={before} />
              </del>
            )}
            {sign === '~' ? <span aria-hidden="true"> → </span> : undefined}
            {sign === '−' ? undefined : (
              <ins>
                <Value path={path} value={after} />
              </ins>
            )}
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

function Place({ path }: { readonly path: readonly string[] }): JSX.Element {
  const { thing, key, isChannel } = splitPlace(path);
  const name = isChannel && key !== '' ? nameOfField(key) : key;
  return (
    <>
      <span class="code">{thing}</span> {name === key ? undefined : `${name} `}
      {key === '' ? undefined : <span class={name === key ? 'code' : 'code faint'}>{key}</span>}
    </>
  );
}

/** Plain value, or the fields of an object. */
function Value({ path, value }: { readonly path: readonly string[]; readonly value: unknown }): JSX.Element {
  const { key: place, isChannel } = splitPlace(path);
  // The name of a whole channel is shown before its fields.
  const isTold = (key: string): boolean => isChannel && place === '' && key === 'name';
  const fields = isItem(path, value) ? [] : listFields(value).filter(({ key }) => !isTold(key));
  if (fields.length === 0 || (fields.length === 1 && fields[0]?.key === '')) {
    return <span class="code">{describeValue(path, value)}</span>;
  }
  // What is in a channel has the names of its form.
  const titleOf = (key: string): string =>
    isChannel ? nameOfField(place === '' ? key : `${place}.${key}`) : key;
  return (
    <span class="fields">
      {fields.map(({ key, value: part }, index) => (
        <span key={key} title={key}>
          <span class="soft">{titleOf(key)}</span>{' '}
          <span class="code">{describeValue([...path, ...key.split('.')], part)}</span>
          {index === fields.length - 1 ? '' : ', '}
        </span>
      ))}
    </span>
  );
}

/** Formats the path of a value: `drivers/line responseTimeoutMs`. */
export function nameOf(path: readonly string[]): string {
  const { thing, key } = splitPlace(path);
  return key === '' ? thing : `${thing} ${key}`;
}

/** Formats a value as text, shortened; never the value of a secret. */
export function describeValue(path: readonly string[], value: unknown): string {
  if (value === undefined) return fill(CONFIGURATION.absent);
  if (isSecretMarker(value) || isSecretName(path.at(-1) ?? '')) return fill(CONFIGURATION.secret);
  if (isItem(path, value)) {
    const { type, driver, channels } = value;
    const count = Array.isArray(channels) ? fill(CONFIGURATION.items, { count: channels.length }) : '';
    return [type ?? driver, count].filter((part) => part !== '').join(', ');
  }
  const fields = listFields(value);
  const text =
    fields.length === 1 && fields[0]?.key === ''
      ? writePlain(value)
      : fields
          .map(({ key, value: part }) => `${key}: ${describeValue([...path, ...key.split('.')], part)}`)
          .join(', ');
  return text.length > MAXIMUM_CHARACTERS ? `${text.slice(0, MAXIMUM_CHARACTERS)}…` : text;
}

function writePlain(value: unknown): string {
  return Array.isArray(value) && value.length > 0 ? value.map(writePlain).join(', ') : JSON.stringify(value);
}

interface Item {
  readonly type?: unknown;
  readonly driver?: unknown;
  readonly channels?: unknown;
}

/** True for a whole connection or asset, which is shown as a summary. */
function isItem(path: readonly string[], value: unknown): value is Item {
  if (path.length !== 2 || typeof value !== 'object' || value === null) return false;
  const { type, driver } = value as Item;
  return typeof type === 'string' || typeof driver === 'string';
}
