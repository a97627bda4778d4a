"""The description of the API: the OpenAPI document, built from routes and signatures."""
