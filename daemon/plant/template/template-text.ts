import { createReason, describeReasons } from '../../base/fault-reason.ts';
import type { FaultReason } from '../../base/fault-reason.ts';
import { BASE_FAULTS } from '../../base/fault-sentences.ts';
import { TEMPLATE_FAULTS } from './fault-sentences.ts';
import { findNearestKey } from '../../base/key/key-hint.ts';
import type { TemplateValue, TemplateValues } from './template-parameters.ts';

// An expression is a line of arithmetic, not a program.
const MAXIMUM_FORMULA_LENGTH = 200;

const ALONE = /^\$(?:\{([A-Za-z][A-Za-z0-9]*)\}|([A-Za-z][A-Za-z0-9]*))$/;
const REFERENCE = /\$(?:\{([^}]*)\}|([A-Za-z][A-Za-z0-9]*)|(\$)|)/g;
const TOKEN = /\s*(?:(\d+(?:\.\d+)?)|\$\{([A-Za-z][A-Za-z0-9]*)\}|\$([A-Za-z][A-Za-z0-9]*)|([-+*]))\s*/y;

/** A text of a template cannot be resolved. */
export class TemplateTextError extends Error {
  readonly reasons: readonly FaultReason[];

  constructor(...reasons: readonly FaultReason[]) {
    super(describeReasons(reasons));
    this.reasons = reasons;
  }
}

/**
 * Resolves one text of a template.
 *
 * `$name` or `${name}` alone gives the value itself; inside a longer text its digits or letters, where `$$` gives `$`. A
 * text that begins with `=` is arithmetic with `+`, `-` and `*`, without brackets: `=100 + 2 * $phase`; one that begins with
 * `==` is the text without the first of them.
 *
 * @throws {TemplateTextError} for a name without value, and for an invalid expression
 */
export function resolveText(text: string, values: TemplateValues): TemplateValue {
  if (text.startsWith('=') && !text.startsWith('==')) return calculate(text.slice(1), values);
  const plain = text.startsWith('==') ? text.slice(1) : text;
  if (!plain.includes('$')) return plain;
  const [, braced, bare] = ALONE.exec(plain) ?? [];
  const name = braced ?? bare;
  if (name !== undefined) return getValue(name, values);
  return plain.replaceAll(REFERENCE, (_match, inBraces?: string, word?: string, dollar?: string) => {
    if (dollar !== undefined) return '$';
    const inner = inBraces ?? word;
    if (inner !== undefined) return String(getValue(inner, values));
    throw new TemplateTextError(createReason(TEMPLATE_FAULTS, 'EXPECTED_VARIABLE', {}));
  });
}

/** Evaluates a sum of products; one pass from left to right. */
function calculate(formula: string, values: TemplateValues): number {
  if (formula.length > MAXIMUM_FORMULA_LENGTH) {
    throw new TemplateTextError(
      createReason(TEMPLATE_FAULTS, 'EXPRESSION_TOO_LONG', { bound: MAXIMUM_FORMULA_LENGTH }),
    );
  }
  let [sum, product, sign] = [0, 1, 1];
  let isNumberNext = true;
  for (const token of tokenize(formula)) {
    if (typeof token === 'string' && token === '-' && isNumberNext) {
      sign = -sign;
      continue;
    }
    if ((typeof token === 'string') === isNumberNext) throw refuseArithmetic();
    isNumberNext = !isNumberNext;
    if (typeof token !== 'string') {
      product *= typeof token === 'number' ? token : getNumber(token.name, values);
      continue;
    }
    if (token === '*') continue;
    sum += sign * product;
    [product, sign] = [1, token === '-' ? -1 : 1];
  }
  if (isNumberNext) throw refuseArithmetic();
  // Fractions such as 0.1 have no exact form; the digits as written are restored.
  const result = Number((sum + sign * product).toPrecision(15));
  if (!Number.isFinite(result))
    throw new TemplateTextError(createReason(TEMPLATE_FAULTS, 'EXPRESSION_NOT_FINITE', {}));
  return result;
}

type Token = number | { readonly name: string } | '+' | '-' | '*';

function tokenize(formula: string): readonly Token[] {
  const tokens: Token[] = [];
  const pattern = new RegExp(TOKEN);
  while (pattern.lastIndex < formula.length) {
    const [, digits, braced, bare, operator] = pattern.exec(formula) ?? [];
    const name = braced ?? bare;
    if (digits !== undefined) tokens.push(Number(digits));
    else if (name !== undefined) tokens.push({ name });
    else if (operator === '+' || operator === '-' || operator === '*') tokens.push(operator);
    else throw refuseArithmetic();
  }
  return tokens;
}

function refuseArithmetic(): TemplateTextError {
  return new TemplateTextError(createReason(TEMPLATE_FAULTS, 'EXPECTED_ARITHMETIC', {}));
}

function getNumber(name: string, values: TemplateValues): number {
  const value = getValue(name, values);
  if (typeof value === 'number') return value;
  throw new TemplateTextError(createReason(TEMPLATE_FAULTS, 'VARIABLE_NO_NUMBER', { name: `$${name}` }));
}

function getValue(name: string, values: TemplateValues): TemplateValue {
  const value = values.get(name);
  if (value !== undefined) return value;
  const nearest = findNearestKey(name, [...values.keys()]);
  const hint =
    nearest === undefined ? [] : [createReason(BASE_FAULTS, 'KEY_SIMILAR', { key: `$${nearest}` })];
  throw new TemplateTextError(createReason(TEMPLATE_FAULTS, 'VARIABLE_UNKNOWN', { name }), ...hint);
}
