"""Typed clients from an OpenAPI document: `python -m billycan_generator openapi.json --into folder`."""
