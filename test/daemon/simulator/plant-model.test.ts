import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  advancePlant,
  INITIAL_INPUTS,
  INITIAL_STATE,
  readPlant,
  STEP_MS,
} from '../../../daemon/simulator/plant-model.ts';
import type { PlantInputs } from '../../../daemon/simulator/plant-model.ts';

const MINUTE_MS = 60_000;
const OFF: PlantInputs = { ...INITIAL_INPUTS, isPumpOn: false };

test('advancePlant twice by half the time has exactly the result of once', () => {
  const elapsedMs = 3 * MINUTE_MS + 137;
  const once = advancePlant(INITIAL_STATE, INITIAL_INPUTS, elapsedMs);
  const half = advancePlant(INITIAL_STATE, INITIAL_INPUTS, elapsedMs / 2);
  assert.deepEqual(advancePlant(half, INITIAL_INPUTS, elapsedMs / 2), once);
});

test('advancePlant counts the rest of a step towards the next', () => {
  const almost = advancePlant(INITIAL_STATE, OFF, STEP_MS - 1);
  assert.equal(almost.pumpSpeed, INITIAL_STATE.pumpSpeed);
  assert.ok(advancePlant(almost, OFF, 1).pumpSpeed < INITIAL_STATE.pumpSpeed);
});

test('advancePlant leaves the given state unchanged', () => {
  const before = { ...INITIAL_STATE };
  advancePlant(INITIAL_STATE, INITIAL_INPUTS, MINUTE_MS);
  assert.deepEqual(INITIAL_STATE, before);
});

test('the flow temperature follows the setpoint and keeps moving around it', () => {
  const inputs = { ...INITIAL_INPUTS, setpoint: 70 };
  let state = advancePlant(INITIAL_STATE, inputs, 5 * MINUTE_MS);
  const seen = new Set<number>();
  for (let count = 0; count < 120; count += 1) {
    state = advancePlant(state, inputs, 1000);
    assert.ok(Math.abs(state.flowTemperature - 70) < 3, `${state.flowTemperature} °C`);
    seen.add(Math.round(state.flowTemperature * 10));
  }
  assert.ok(seen.size > 10);
});

test('the burner switches on and off while the plant holds its temperature', () => {
  let state = INITIAL_STATE;
  const seen = new Set<boolean>();
  for (let count = 0; count < 120; count += 1) {
    state = advancePlant(state, INITIAL_INPUTS, 1000);
    seen.add(state.isBurnerOn);
  }
  assert.equal(seen.size, 2);
});

test('without the pump everything comes to rest and cools down', () => {
  const state = advancePlant(INITIAL_STATE, OFF, 60 * MINUTE_MS);
  const values = readPlant(state, OFF);
  assert.deepEqual(
    [values.pumpSpeed, values.isBurnerOn, values.isPumpStanding, values.heatPowerWatts],
    [0, false, true, 0],
  );
  assert.ok(values.flowTemperature < 40);
});

test('a setpoint beyond the safe range is stored, and not followed', () => {
  const inputs = { ...INITIAL_INPUTS, setpoint: 400 };
  const values = readPlant(advancePlant(INITIAL_STATE, inputs, 60 * MINUTE_MS), inputs);
  assert.equal(values.setpoint, 400);
  assert.ok(values.flowTemperature < 95);
  assert.equal(values.isTooHot, true);
});

test('energy and operating hours grow with the time that burner and pump run', () => {
  const later = readPlant(advancePlant(INITIAL_STATE, INITIAL_INPUTS, 60 * MINUTE_MS), INITIAL_INPUTS);
  const now = readPlant(INITIAL_STATE, INITIAL_INPUTS);
  assert.equal(later.operatingHours - now.operatingHours, 1);
  const growth = later.energyWattHours - now.energyWattHours;
  assert.ok(growth > 0n && growth < 24_000n, `${growth} Wh`);
});
