package engine

// SampleMessages are messages with every type of field.
var SampleMessages = testMessages
