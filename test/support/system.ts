/** Loaded first by `npm run test:system`. */
process.env.ENVLOG_TEST_TIER = 'system'
