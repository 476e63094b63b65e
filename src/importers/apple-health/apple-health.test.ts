import assert from 'node:assert/strict'
import { test } from 'node:test'
import { folderWith, readingOf } from '../../../test/imported-folder.ts'

test('measurements, workouts and days of Apple Health are read', async context => {
  const facts = 'sourceName="Watch" creationDate="2024-01-01 10:05:00 +0100"'
  const times = 'startDate="2024-01-01 10:00:00 +0100" endDate="2024-01-01 10:01:00 +0100"'
  const xml = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE HealthData [<!ELEMENT HealthData (Record*)>]>
<HealthData locale="en_US"><ExportDate value="2024-02-01 00:00:00 +0100"/>
<Record type="HKQuantityTypeIdentifierStepCount" ${facts} unit="count" ${times} value="12"><MetadataEntry key="HKWasUserEntered" value="0"/></Record>
<Record type="HKQuantityTypeIdentifierStepCount" ${facts} unit="count" ${times} value="12"/>
<Record type="HKCategoryTypeIdentifierSleepAnalysis" ${facts} ${times} value="HKCategoryValueSleepAnalysisInBed"/>
<Correlation type="x"><Record type="HKQuantityTypeIdentifierStepCount" ${facts} ${times} value="1"/></Correlation>
<Workout workoutActivityType="HKWorkoutActivityTypeRunning" duration="5.5" durationUnit="min" ${facts} ${times}/>
<ActivitySummary dateComponents="2024-01-01" activeEnergyBurned="590" activeEnergyBurnedUnit="kcal"/>
</HealthData>`
  const reading = await readingOf(
    'apple-health',
    folderWith(context, { 'apple_health_export/export.xml': xml }),
  )
  const found = reading.of('health_records')
  assert.deepEqual(
    found.map(({ kind, type, value, value_text, unit, started_at }) => [
      kind,
      type,
      value,
      value_text,
      unit,
      started_at,
    ]),
    [
      ['measurement', 'StepCount', 12, null, 'count', '2024-01-01T09:00:00Z'],
      ['measurement', 'StepCount', 12, null, 'count', '2024-01-01T09:00:00Z'],
      ['measurement', 'SleepAnalysis', null, 'SleepAnalysisInBed', null, '2024-01-01T09:00:00Z'],
      ['workout', 'Running', 5.5, null, 'min', '2024-01-01T09:00:00Z'],
      ['day', 'ActivitySummary', 590, null, 'kcal', '2024-01-01T00:00:00Z'],
    ],
  )
  assert.equal(new Set(found.map(({ id }) => id)).size, 5)
  assert.deepEqual(found[0]?.details, { HKWasUserEntered: '0' })
})
