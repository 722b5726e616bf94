import * as library from 'zod';

// A method that derives a schema is one more step of its declaration; all others have the schema built.
const STEPS: ReadonlySet<string | symbol> = new Set<keyof library.ZodObject | keyof library.ZodString>([
  'array',
  'catch',
  'check',
  'default',
  'describe',
  'extend',
  'length',
  'max',
  'meta',
  'min',
  'nullable',
  'omit',
  'optional',
  'or',
  'partial',
  'pick',
  'pipe',
  'prefault',
  'readonly',
  'refine',
  'regex',
  'strict',
  'superRefine',
  'transform',
]);
const BUILT = Symbol('built');

type Factory = (...parameters: never[]) => object;

/** A schema that was declared, and is built once something needs it. */
class Declaration {
  // A gateway has thousands that nothing needs: fields take half of the memory of a function that remembers the same.
  #parent: Declaration | undefined;
  #step: Factory | string | symbol;
  #parameters: readonly unknown[] | undefined;
  #schema: object = this;

  /**
   * @param parent from which the step derives it; undefined: a factory of the library makes it
   * @param step the factory, or the name of the method of the built parent
   * @param parameters those of the step
   */
  constructor(
    parent: Declaration | undefined,
    step: Factory | string | symbol,
    parameters: readonly unknown[],
  ) {
    this.#parent = parent;
    this.#step = step;
    this.#parameters = parameters;
  }

  get schema(): object {
    const parameters = this.#parameters;
    if (parameters !== undefined) {
      this.#schema = takeStep(this.#parent?.schema, this.#step, parameters);
      this.#parent = undefined;
      this.#parameters = undefined;
    }
    return this.#schema;
  }
}

const handler: ProxyHandler<Declaration> = {
  get(declaration, key): unknown {
    if (key === BUILT) return declaration.schema;
    if (!STEPS.has(key)) return Reflect.get(declaration.schema, key) as unknown;
    return (...parameters: readonly unknown[]) =>
      // Without parameters it returns what was described before.
      key === 'meta' && parameters.length === 0
        ? takeStep(declaration.schema, key, parameters)
        : declare(declaration, key, parameters);
  },
  has: (declaration, key) => key === BUILT || key in declaration.schema,
  getPrototypeOf: (declaration) => Reflect.getPrototypeOf(declaration.schema),
};

export type * from 'zod';
export { NEVER, fromJSONSchema, registry } from 'zod';
/**
 * The factories of the library that the gateway uses. What they return is built when it first checks or describes something:
 * a built schema takes more than a kibibyte and 10 µs, and most of them serve requests that few gateways get.
 */
export const string = deferring(library.string);
export const base64 = deferring(library.base64);
export const int = deferring(library.int);
export const number = deferring(library.number);
export const boolean = deferring(library.boolean);
export const unknown = deferring(library.unknown);
export const never = deferring(library.never);
export const literal = deferring(library.literal);
export const array = deferring(library.array);
export const tuple = deferring(library.tuple);
export const record = deferring(library.record);
export const object = deferring(library.object);
export const strictObject = deferring(library.strictObject);
export const looseObject = deferring(library.looseObject);
export const custom = deferring(library.custom);
export const union = deferring(library.union);
export const xor = deferring(library.xor);
export const discriminatedUnion = deferring(library.discriminatedUnion);
export const preprocess = deferring(library.preprocess);
const enumeration = deferring(library.enum);
const nothing = deferring(library.null);
const instance = deferring(library.instanceof);
export { enumeration as enum, nothing as null, instance as instanceof };
export const toJSONSchema = new Proxy(library.toJSONSchema, {
  apply: (describe, _self, parameters: readonly unknown[]): unknown =>
    Reflect.apply(describe, undefined, parameters.map(settle)),
});

function deferring<Made extends Factory>(factory: Made): Made {
  return new Proxy(factory, {
    apply: (_factory, _self, parameters: readonly unknown[]) => declare(undefined, factory, parameters),
  });
}

function declare(...declared: ConstructorParameters<typeof Declaration>): object {
  return new Proxy(new Declaration(...declared), handler);
}

function takeStep(
  schema: object | undefined,
  step: Factory | string | symbol,
  parameters: readonly unknown[],
): object {
  const method: unknown = typeof step === 'function' ? step : Reflect.get(schema ?? {}, step);
  if (typeof method !== 'function') throw new TypeError(`a schema of this kind has no ${String(step)}`);
  const made = Reflect.apply(method, schema, parameters.map(settle)) as object;
  forgetPlainParent(made);
  return made;
}

/**
 * Lets a derived schema forget the one that it comes from, which takes as much memory. The library looks there for
 * descriptions only, so it stays if it has one.
 */
function forgetPlainParent(schema: object): void {
  if (!('_zod' in schema)) return;
  const internals = schema._zod as library.core.$ZodType['_zod'];
  const { parent } = internals;
  if (parent === undefined || library.globalRegistry.has(parent)) return;
  internals.parent = parent._zod.parent;
}

/** Returns the built schemas of a parameter: of itself, of a list, or of the members of an object; anything else as it is. */
function settle(parameter: unknown): unknown {
  if (typeof parameter !== 'object' || parameter === null) return parameter;
  if (isDeclared(parameter)) return parameter[BUILT];
  if (Array.isArray(parameter)) return parameter.some(isDeclared) ? parameter.map(settleMember) : parameter;
  const members: readonly (readonly [string, unknown])[] = Object.entries(parameter);
  if (!members.some(([, member]) => isDeclared(member))) return parameter;
  return Object.fromEntries(members.map(([name, member]) => [name, settleMember(member)]));
}

function settleMember(member: unknown): unknown {
  return isDeclared(member) ? member[BUILT] : member;
}

function isDeclared(value: unknown): value is { readonly [BUILT]: object } {
  return typeof value === 'object' && value !== null && BUILT in value;
}
