import { findNearestKey } from '../../base/key/key-hint.ts';
import type { Checked, Fault, z } from '../../base/schema.ts';
import type { parameterSchema } from './template-outline.ts';

/** One parameter as its template declares it. */
export type TemplateParameter = Readonly<z.infer<typeof parameterSchema>>;

/** The value of a parameter. */
export type TemplateValue = string | number | boolean;

/** Values of all parameters in scope, by name. */
export type TemplateValues = ReadonlyMap<string, TemplateValue>;

type Declarations = Readonly<Record<string, TemplateParameter>>;

/** Lists the contradictions in the declarations of parameters; paths begin with `parameters`. */
export function checkParameterDeclarations(declarations: Declarations): readonly Fault[] {
  return Object.entries(declarations).flatMap(([name, parameter]) => {
    const { type, minimum, maximum } = parameter;
    const path = ['parameters', name];
    const isNumber = type === 'integer' || type === 'number';
    if (!isNumber && (minimum !== undefined || maximum !== undefined)) {
      return [{ path, message: `minimum and maximum apply to numbers only, not to ${type}` }];
    }
    if (minimum !== undefined && maximum !== undefined && minimum > maximum) {
      return [{ path: [...path, 'minimum'], message: `expected at most the maximum, ${maximum}` }];
    }
    const expected =
      parameter.default === undefined ? undefined : findExpectation(parameter, parameter.default);
    return expected === undefined ? [] : [{ path: [...path, 'default'], message: expected }];
  });
}

/**
 * Checks the parameters of an asset, and fills in the defaults of the others.
 *
 * @param given an object with values by name; undefined: none
 * @returns a value for every declared parameter; or all errors, whose paths begin with the name of the parameter
 */
export function resolveParameters(declarations: Declarations, given: unknown): Checked<TemplateValues> {
  const values = given ?? {};
  if (typeof values !== 'object' || Array.isArray(values)) {
    return { faults: [{ path: [], message: 'expected an object with parameters by name' }] };
  }
  const names = Object.keys(declarations);
  const faults: Fault[] = Object.keys(values)
    .filter((name) => !names.includes(name))
    .map((name) => ({
      path: [name],
      message: `is not a parameter of the template; ${suggest(name, names)}`,
    }));
  const resolved = new Map<string, TemplateValue>();
  for (const [name, parameter] of Object.entries(declarations)) {
    const value: unknown = Object.hasOwn(values, name) ? Reflect.get(values, name) : parameter.default;
    const expected =
      value === undefined ? `is missing; ${describeType(parameter)}` : findExpectation(parameter, value);
    if (expected === undefined) resolved.set(name, value as TemplateValue);
    else faults.push({ path: [name], message: expected });
  }
  return faults.length > 0 ? { faults } : { value: resolved };
}

function findExpectation(parameter: TemplateParameter, value: unknown): string | undefined {
  const { type, minimum = -Infinity, maximum = Infinity } = parameter;
  const isRight =
    type === 'string' || type === 'boolean'
      ? typeof value === type
      : typeof value === 'number' &&
        (type === 'integer' ? Number.isSafeInteger(value) : Number.isFinite(value)) &&
        value >= minimum &&
        value <= maximum;
  return isRight ? undefined : describeType(parameter);
}

function describeType({ type, minimum, maximum }: TemplateParameter): string {
  const kind = type === 'integer' ? 'a whole number' : type === 'boolean' ? 'true or false' : `a ${type}`;
  const bounds = [
    ...(minimum === undefined ? [] : [`at least ${minimum}`]),
    ...(maximum === undefined ? [] : [`at most ${maximum}`]),
  ];
  return `expected ${[kind === 'a string' ? 'a text' : kind, ...bounds].join(', ')}`;
}

function suggest(name: string, known: readonly string[]): string {
  const nearest = findNearestKey(name, known);
  if (nearest !== undefined) return `did you mean "${nearest}"?`;
  return known.length === 0 ? 'it has none' : `expected one of ${known.join(', ')}`;
}

/** Value of a parameter to use: its default, or one of its bounds. */
type ParameterChoice = 'DEFAULT' | 'MINIMUM' | 'MAXIMUM';

// Values of parameters without a default.
const PLACEHOLDERS = { integer: 1, number: 1, string: 'x', boolean: false } as const;

/** Returns parameters to show or check a template with; a parameter without such a value has another valid one. */
export function chooseParameters(
  { parameters }: { readonly parameters: Readonly<Record<string, TemplateParameter>> },
  choice: ParameterChoice,
): Readonly<Record<string, TemplateValue>> {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, parameter]) => [
      name,
      findChosen(parameter, choice) ??
        parameter.default ??
        parameter.minimum ??
        parameter.maximum ??
        PLACEHOLDERS[parameter.type],
    ]),
  );
}

function findChosen(parameter: TemplateParameter, choice: ParameterChoice): TemplateValue | undefined {
  if (choice === 'DEFAULT') return parameter.default;
  return choice === 'MINIMUM' ? parameter.minimum : parameter.maximum;
}
