import assert from 'node:assert/strict'
import { test } from 'node:test'
import { folderWith, readingOf } from '../../../test/imported-folder.ts'
import { rowsOf } from '../../../test/rows-of.ts'

test('measurements, workouts and days of Apple Health are read', async context => {
  const facts = 'sourceName="Watch" creationDate="2024-01-01 10:05:00 +0100"'
  const times = 'startDate="2024-01-01 10:00:00 +0100" endDate="2024-01-01 10:01:00 +0100"'
  const xml = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE HealthData [<!ELEMENT HealthData (Record*)>]>
<HealthData locale="en_US"><ExportDate value="2024-02-01 00:00:00 +0100"/>
<Record type="HKQuantityTypeIdentifierStepCount" ${facts} unit="count" ${times} value="12"><MetadataEntry key="HKWasUserEntered" value="0"/><MetadataEntry key="HKMetadataKeySyncVersion" value="3"/><MetadataEntry key="Withings Link" value="x"/></Record>
<Record type="HKQuantityTypeIdentifierStepCount" ${facts} unit="count" ${times} value="12"/>
<Record type="HKCategoryTypeIdentifierSleepAnalysis" ${facts} ${times} value="HKCategoryValueSleepAnalysisInBed"/>
<Correlation type="x"><Record type="HKQuantityTypeIdentifierStepCount" ${facts} ${times} value="1"/></Correlation>
<Record type="HKQuantityTypeIdentifierHeartRateVariabilitySDNN" ${facts} unit="ms" ${times} value="40"/>
<Record type="HKQuantityTypeIdentifierVO2Max" ${facts} unit="mL/min·kg" ${times} value="38"/>
<Workout workoutActivityType="HKWorkoutActivityTypeRunning" duration="5.5" durationUnit="min" ${facts} ${times}/>
<ActivitySummary dateComponents="2024-01-01" activeEnergyBurned="590" activeEnergyBurnedUnit="kcal"/>
</HealthData>`
  const reading = await readingOf(
    'apple-health',
    folderWith(context, { 'apple_health_export/export.xml': xml }),
  )
  const found = reading.of('health_records')
  assert.deepEqual(rowsOf(found, 'kind', 'type', 'value', 'value_text', 'unit', 'started_at'), [
    ['measurement', 'Step count', 12, null, 'count', '2024-01-01T09:00:00Z'],
    ['measurement', 'Step count', 12, null, 'count', '2024-01-01T09:00:00Z'],
    ['measurement', 'Sleep analysis', null, 'Sleep analysis in bed', null, '2024-01-01T09:00:00Z'],
    ['measurement', 'Heart rate variability SDNN', 40, null, 'ms', '2024-01-01T09:00:00Z'],
    ['measurement', 'VO2 max', 38, null, 'mL/min·kg', '2024-01-01T09:00:00Z'],
    ['workout', 'Running', 5.5, null, 'min', '2024-01-01T09:00:00Z'],
    ['day', 'Activity summary', 590, null, 'kcal', '2024-01-01T00:00:00Z'],
  ])
  assert.equal(new Set(found.map(({ id }) => id)).size, 7)
  assert.deepEqual(found[0]?.details, { 'Was user entered': '0', 'Sync version': '3', 'Withings Link': 'x' })
})
