import { createFault, createReason } from '../../base/fault-reason.ts';
import type { FaultReason, ReasonedFault } from '../../base/fault-reason.ts';
import { BASE_FAULTS } from '../../base/fault-sentences.ts';
import { TEMPLATE_FAULTS } from './fault-sentences.ts';
import { findNearestKey } from '../../base/key/key-hint.ts';
import type { Fault, z } from '../../base/schema.ts';
import type { parameterSchema } from './template-outline.ts';

/** One parameter as its template declares it. */
export type TemplateParameter = Readonly<z.infer<typeof parameterSchema>>;

/** The value of a parameter. */
export type TemplateValue = string | number | boolean;

/** Values of all parameters in scope, by name. */
export type TemplateValues = ReadonlyMap<string, TemplateValue>;

type ResolvedParameters =
  | { readonly value: TemplateValues; readonly faults?: undefined }
  | { readonly value?: undefined; readonly faults: readonly ReasonedFault[] };

type Declarations = Readonly<Record<string, TemplateParameter>>;

/** Lists the contradictions in the declarations of parameters; paths begin with `parameters`. */
export function checkParameterDeclarations(declarations: Declarations): readonly Fault[] {
  return Object.entries(declarations).flatMap(([name, parameter]) => {
    const { type, minimum, maximum } = parameter;
    const path = ['parameters', name];
    const isNumber = type === 'integer' || type === 'number';
    if (!isNumber && (minimum !== undefined || maximum !== undefined)) {
      return [createFault(path, createReason(TEMPLATE_FAULTS, 'BOUNDS_OF_NO_NUMBER', { type }))];
    }
    if (minimum !== undefined && maximum !== undefined && minimum > maximum) {
      return [
        createFault(
          [...path, 'minimum'],
          createReason(TEMPLATE_FAULTS, 'EXPECTED_BELOW_MAXIMUM', { maximum }),
        ),
      ];
    }
    const expected =
      parameter.default === undefined ? undefined : findExpectation(parameter, parameter.default);
    return expected === undefined ? [] : [createFault([...path, 'default'], expected)];
  });
}

/**
 * Checks the parameters of an asset, and fills in the defaults of the others.
 *
 * @param given an object with values by name; undefined: none
 * @returns a value for every declared parameter; or all errors, whose paths begin with the name of the parameter
 */
export function resolveParameters(declarations: Declarations, given: unknown): ResolvedParameters {
  const values = given ?? {};
  if (typeof values !== 'object' || Array.isArray(values)) {
    return { faults: [createFault([], createReason(TEMPLATE_FAULTS, 'PARAMETERS_NO_OBJECT', {}))] };
  }
  const names = Object.keys(declarations);
  const faults: ReasonedFault[] = Object.keys(values)
    .filter((name) => !names.includes(name))
    .map((name) =>
      createFault([name], createReason(TEMPLATE_FAULTS, 'PARAMETER_UNKNOWN', {}), suggest(name, names)),
    );
  const resolved = new Map<string, TemplateValue>();
  for (const [name, parameter] of Object.entries(declarations)) {
    const value: unknown = Object.hasOwn(values, name) ? Reflect.get(values, name) : parameter.default;
    const missing = value === undefined ? [createReason(BASE_FAULTS, 'MISSING', {})] : [];
    const expected = findExpectation(parameter, value);
    if (expected === undefined) resolved.set(name, value as TemplateValue);
    else faults.push(createFault([name], ...missing, expected));
  }
  return faults.length > 0 ? { faults } : { value: resolved };
}

function findExpectation(parameter: TemplateParameter, value: unknown): FaultReason | undefined {
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

function describeType({ type, minimum, maximum }: TemplateParameter): FaultReason {
  const kinds = type === 'integer' ? 'int' : type;
  if (minimum !== undefined && maximum !== undefined)
    return createReason(TEMPLATE_FAULTS, 'EXPECTED_KIND_WITHIN', { kinds, minimum, maximum });
  if (minimum !== undefined)
    return createReason(TEMPLATE_FAULTS, 'EXPECTED_KIND_AT_LEAST', { kinds, minimum });
  return maximum === undefined
    ? createReason(BASE_FAULTS, 'EXPECTED_KIND', { kinds })
    : createReason(TEMPLATE_FAULTS, 'EXPECTED_KIND_AT_MOST', { kinds, maximum });
}

function suggest(name: string, known: readonly string[]): FaultReason {
  const nearest = findNearestKey(name, known);
  if (nearest !== undefined) return createReason(BASE_FAULTS, 'KEY_SIMILAR', { key: nearest });
  return known.length === 0
    ? createReason(TEMPLATE_FAULTS, 'TEMPLATE_WITHOUT_PARAMETERS', {})
    : createReason(BASE_FAULTS, 'EXPECTED_KEYS', { keys: known });
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
