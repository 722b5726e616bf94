import { isSecretMarker, isSecretName } from '../secret.ts';

/** Place of a value in the configuration, in parts that are shown apart. */
export interface ShownPlace {
  /** Item, or channel of an asset: `assets/boiler`, `assets/boiler setpoint`. */
  readonly thing: string;
  /** Key in it: `address.offset`; empty: the thing itself. */
  readonly key: string;
  readonly isChannel: boolean;
}

/** Value of a key in an object, which may be nested: `address.offset`. */
export interface DifferenceField {
  readonly key: string;
  /** No object with keys. */
  readonly value: unknown;
}

/** Splits the path of a difference into the thing that differs and its key. */
export function splitPlace(path: readonly string[]): ShownPlace {
  const [section, name, list, channel] = path;
  const isChannel = section === 'assets' && list === 'channels' && channel !== undefined;
  const thing = [section, name].filter((part) => part !== undefined).join('/');
  return isChannel
    ? { thing: `${thing} ${channel}`, key: path.slice(4).join('.'), isChannel }
    : { thing, key: path.slice(2).join('.'), isChannel };
}

/** Lists the fields of a value, nested ones by their path; a value that has none is one field with an empty key. */
export function listFields(value: unknown, prefix = ''): readonly DifferenceField[] {
  const isBranch = typeof value === 'object' && value !== null && !isSecretMarker(value) && !isList(value);
  const entries = isBranch ? Object.entries(value) : [];
  if (entries.length === 0) return [{ key: prefix, value }];
  return entries.flatMap(([name, part]: [string, unknown]) => {
    const key = prefix === '' ? name : `${prefix}.${name}`;
    return isSecretName(name) ? [{ key, value: part }] : listFields(part, key);
  });
}

/** True for a list of plain values, which is shown as one. */
function isList(value: object): value is readonly unknown[] {
  return Array.isArray(value) && value.every((part) => typeof part !== 'object' || part === null);
}
