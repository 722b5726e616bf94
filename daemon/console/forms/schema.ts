/** Subset of JSON Schema used by the gateway for its settings. */
export interface Schema {
  readonly title?: string;
  readonly type?: string | readonly string[];
  readonly const?: string | number | boolean;
  readonly enum?: readonly (string | number)[];
  readonly default?: unknown;
  readonly description?: string;
  /** Words in German. */
  readonly 'x-de'?: { readonly title?: string; readonly description?: string };
  readonly writeOnly?: boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: boolean | Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

/** Driver type with one of its transports. */
export interface DriverKind {
  readonly name: string;
  readonly type: string;
  /** Values fixed by the choice, for example the transport. */
  readonly fixed: Readonly<Record<string, unknown>>;
  readonly fields: readonly Field[];
}

/** Form field of a setting. */
export interface Field {
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
}

/** Lists the driver types of the configuration schema, one entry per transport. */
export function listDriverKinds(configuration: Schema): readonly DriverKind[] {
  return (configuration.properties?.['drivers']?.items?.anyOf ?? []).flatMap((driver) =>
    (driver.oneOf ?? driver.anyOf ?? [driver]).flatMap(toKind),
  );
}

function toKind({ properties = {}, required = [] }: Schema): readonly DriverKind[] {
  const type = properties['type']?.const;
  if (typeof type !== 'string') return [];
  const entries = Object.entries(properties).filter(([name]) => name !== 'pid' && name !== 'type');
  const fixed = Object.fromEntries(
    entries.flatMap(([name, { const: value }]) => (value === undefined ? [] : [[name, value]])),
  );
  const fields = entries
    .filter(([, schema]) => schema.const === undefined && isPlain(schema))
    .map(([name, schema]) => ({ name, schema, isRequired: required.includes(name) }));
  // Discriminators are strings; a constant number is the only allowed value.
  const words = Object.values(fixed).filter((value) => typeof value === 'string');
  return [{ name: [type, ...words].join(' '), type, fixed, fields }];
}

/** True if a setting has a form field; lists and objects are edited in the configuration editor. */
export function isPlain({ type, enum: choices }: Schema): boolean {
  return choices !== undefined || ['string', 'integer', 'number', 'boolean'].some((plain) => plain === type);
}

/** Converts form texts to settings; empty fields are omitted and keep their default. */
export function readFields(
  fields: readonly Field[],
  texts: Readonly<Record<string, string>>,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    fields.flatMap(({ name, schema }) => {
      const text = texts[name] ?? '';
      return text === '' ? [] : [[name, readText(schema, text)] as const];
    }),
  );
}

/** Finds the first driver choice compatible with these settings; missing settings have their default. */
export function findKind(
  kinds: readonly DriverKind[],
  type: string,
  settings: Readonly<Record<string, unknown>>,
): DriverKind | undefined {
  const ofType = kinds.filter((kind) => kind.type === type);
  const isOfKind = ({ fixed }: DriverKind): boolean =>
    Object.entries(fixed).every(([name, value]) => (settings[name] ?? value) === value);
  return ofType.find(isOfKind);
}

/** Converts settings to form texts; the gateway does not return secrets. */
export function writeFields(
  fields: readonly Field[],
  settings: Readonly<Record<string, unknown>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    fields.flatMap(({ name }) => {
      const value = settings[name];
      const isPlainValue = ['string', 'number', 'boolean'].includes(typeof value);
      return isPlainValue ? [[name, String(value)] as const] : [];
    }),
  );
}

function readText({ type }: Schema, text: string): string | number | boolean {
  if (type === 'boolean') return text === 'true';
  // Invalid numbers are sent unchanged: the gateway reports the expected format.
  const isNumber = (type === 'integer' || type === 'number') && !Number.isNaN(Number(text));
  return isNumber ? Number(text) : text;
}
