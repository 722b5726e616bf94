import type { Template } from './template.ts';
import type { TemplateParameter, TemplateValue } from './template-parameters.ts';

/** Which value of a parameter is taken: its default, or one of its bounds. */
export type ParameterChoice = 'DEFAULT' | 'MINIMUM' | 'MAXIMUM';

// Values of parameters whose declaration gives none.
const PLACEHOLDERS = { integer: 1, number: 1, string: 'x', boolean: false } as const;

/** Returns parameters with which a template can be shown or checked; one that has no such value has another that fits. */
export function chooseParameters(
  { parameters }: Template,
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
